#pragma once
// Bounded reading of JSON that comes with models: sizes and depth limited, duplicate keys refused,
// errors that name the field.

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace speclab::engines {

struct JsonLimits {
  std::uint64_t max_bytes = std::uint64_t{256} << 20;
  int max_depth = 64;
  std::size_t max_values = 1'000'000;  ///< that are kept, or in one item that is given away
};

/// Called with each item of a container that is not kept. @param key  empty for an array's
using JsonSink = std::function<void(const std::string& key, const nlohmann::json& value)>;
/// Containers that give their items to a sink as they are read and stay empty, so that a large one
/// costs no more than its text. The key is their place: "" is the outermost value, "/a/b" member b
/// of its member a.
using JsonSinks = std::map<std::string, JsonSink>;

/// @param path    for messages
/// @param offset  of `text` in that file
/// @throws ModelFileError with the byte where parsing stopped
nlohmann::json parse_json(std::string_view text, const std::string& path, std::uint64_t offset,
                          const JsonLimits& limits, const JsonSinks& sinks = {});
/// @throws ModelFileError if the file is larger than allowed, unreadable or no valid JSON
nlohmann::json read_json_file(const std::string& path, const JsonLimits& limits = {},
                              const JsonSinks& sinks = {});

/// A value inside a JSON file that knows where it stands; every accessor throws ModelFileError if
/// the value is not of its type.
class JsonNode {
 public:
  /// @param root  outlives the node
  JsonNode(const nlohmann::json& root, std::string path, std::uint64_t offset = 0);

  /// A member of the outermost object of a binary file's header, which is not kept.
  JsonNode(const nlohmann::json& value, std::string path, std::uint64_t offset,
           const std::string& member);

  /// The member `key`, which must be there. @throws ModelFileError if it is not, or this is no
  /// object
  JsonNode at(const std::string& key) const;
  /// The member, or nothing if it is missing or null.
  std::optional<JsonNode> find(const std::string& key) const;
  /// The member's value, or `otherwise` if it is missing or null.
  bool flag_or(const std::string& key, bool otherwise) const;
  double number_or(const std::string& key, double otherwise) const;
  std::vector<JsonNode> elements() const;
  std::vector<std::string> keys() const;

  bool is_string() const;
  bool is_array() const;
  const std::string& as_string() const;
  bool as_bool() const;
  double as_number() const;
  /// @throws ModelFileError also if it is outside [min, max]
  std::int64_t as_integer(std::int64_t min, std::int64_t max) const;

  [[noreturn]] void fail(std::string found, std::string allowed) const;
  /// Refuses a sound value that is not supported; other faults of the header mean damage.
  [[noreturn]] void refuse(std::string found, std::string allowed, std::string change) const;
  /// The value as JSON, escaped and cut for a message.
  std::string shown() const;
  const nlohmann::json& value() const { return *value_; }

 private:
  JsonNode(const JsonNode& parent, const nlohmann::json& value, const std::string& step);

  const nlohmann::json* value_;
  std::string path_;
  std::uint64_t offset_;
  std::string field_;
  const char* change_;  ///< what to do about a value that is not allowed
};

}  // namespace speclab::engines
