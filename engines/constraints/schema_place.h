#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace speclab::engines {

/// A value of a JSON schema that knows its path.
class SchemaPlace {
 public:
  using Json = nlohmann::ordered_json;

  /// @param file, value  outlive it
  SchemaPlace(const std::string& file, const Json& value, std::string path = "$")
      : file_(&file), value_(&value), path_(std::move(path)) {}

  const Json& value() const { return *value_; }
  bool has(const char* key) const { return value_->is_object() && value_->contains(key); }
  SchemaPlace at(const std::string& key) const;
  SchemaPlace at(std::size_t index) const;

  const std::string& text() const;
  /// The elements of a list that is not empty.
  std::vector<SchemaPlace> elements() const;
  /// A length: a whole number from 0 to 100000. @param key  of a member; nothing without it
  std::optional<std::int32_t> length(const char* key) const;
  /// A number. @param key  of a member; nothing without it
  std::optional<SchemaPlace> number(const char* key) const;

  /// @throws ConfigError with the file and the path
  [[noreturn]] void fail(const std::string& found, const std::string& allowed) const;
  std::string name() const;  ///< file and path, for messages
  /// The value, cut for a message.
  std::string shown() const;

 private:
  const std::string* file_;
  const Json* value_;
  std::string path_;
};

}  // namespace speclab::engines
