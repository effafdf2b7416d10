#pragma once
// Reads typed values out of a config's tables; whatever was not asked for is an error.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "experiments/drivers/toml/config_tree.h"

namespace speclab::experiments {

/// Numbers that a key takes. A key is within both bounds, and where they are given beyond the gap
/// and a multiple.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool above_low = false;                                 ///< `low` itself is refused
  double gap = -std::numeric_limits<double>::infinity();  ///< above `low` and below this is refused
  std::int64_t multiple_of = 1;                           ///< of integers
  bool operator==(const Range&) const = default;
};

/// As messages and the reference page say it. @param what  "integers", "numbers"
std::string range_text(const char* what, const Range& range);

/// Reads the keys of one table; every key must have been asked for by the time `finish` is called.
/// A key that is not there, or that is wrong, leaves its value as it was. What is wrong is a
/// finding "key = found; allowed: ..."; without `findings`:
/// @throws ConfigError
class ConfigReader {
 public:
  /// @param table     lives longer than the reader
  /// @param path      its name, for messages; empty for the root
  /// @param findings  lives longer than the reader; may be null
  explicit ConfigReader(const ConfigNode& table, std::string path = "",
                        Findings* findings = nullptr);

  void read(const char* key, bool& value);
  void read(const char* key, std::string& value);
  /// One of `allowed`.
  void read(const char* key, std::string& value, const std::vector<std::string>& allowed);
  void read(const char* key, std::int32_t& value, Range range = {});
  void read(const char* key, std::int64_t& value, Range range = {});
  void read(const char* key, std::uint64_t& value, Range range = {});
  void read(const char* key, double& value, Range range = {});
  /// A list without repetition, at least one element long; a single value is a list of one. Numbers
  /// may be a range instead: { from = 0.0, to = 1.0, steps = 5 } or { from = 0.0, to = 1.0, by =
  /// 0.25 }.
  void read(const char* key, std::vector<std::string>& values);
  void read(const char* key, std::vector<double>& values, Range range = {});
  void read(const char* key, std::vector<std::int32_t>& values, Range range = {});

  /// The table under `key`, or null.
  const ConfigNode* table(const char* key);
  /// The list under `key`, which must be there; null where it is not.
  const ConfigNode* list(const char* key);
  /// The value of a key that is there, a range as the list of its numbers; an empty list for one
  /// that is wrong.
  ConfigNode expanded(const char* key) const;
  /// A key that somebody else reads.
  const ConfigNode* find(const char* key);
  bool has(const char* key) const { return peek(key) != nullptr; }
  /// Refuses every key that was not asked for, and names the nearest one that was.
  void finish() const;
  /// Refuses the value of a key, or its absence.
  void refuse(const char* key, const std::string& allowed) const;
  /// Refuses one element of a list, or a single value.
  void refuse_element(const char* key, std::size_t index, const std::string& allowed) const;
  /// A finding about one element in words of its own.
  void add(const char* key, std::size_t index, const std::string& message) const;
  /// Refuses a node under `key`.
  void refuse_node(const ConfigNode& node, const char* key, const std::string& allowed) const;

 private:
  const ConfigNode* peek(const char* key) const;
  /// "; did you mean KEY?" where a known key is near.
  std::string suggestion(const std::string& unknown) const;
  const ConfigNode::TableEntries& entries() const;
  const ConfigNode& element(const char* key, std::size_t index) const;
  void report(const ConfigPlace& where, const std::string& key, const std::string& message) const;
  std::string full_name(const std::string& key) const {
    return path_.empty() ? key : path_ + "." + key;
  }
  std::optional<std::int64_t> integer(const ConfigNode& node, const char* key, Range range) const;
  std::optional<double> real(const ConfigNode& node, const char* key, Range range) const;
  std::vector<const ConfigNode*> elements(const ConfigNode& node, const char* key) const;

  const ConfigNode& table_;
  std::string path_;
  Findings* findings_;
  std::vector<std::string> known_;
};

}  // namespace speclab::experiments
