#pragma once
// Reads typed values out of a config's tables; whatever was not asked for is an error.

#include <limits>
#include <string>
#include <vector>

#include "experiments/drivers/config/config_tree.h"

namespace speclab::experiments {

/// Inclusive bounds of a number.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

/// Reads the keys of one table; every key must have been asked for by the time `finish` is called. A key that is not there
/// leaves its value as it was. All: @throws ConfigError "where: key = found; allowed: ..."
class ConfigReader {
 public:
  /// @param table  a table; lives longer than the reader
  /// @param path   its name, for messages; empty for the root
  explicit ConfigReader(const ConfigNode& table, std::string path = "");

  void read(const char* key, bool& value);
  void read(const char* key, std::string& value);
  /// One of `allowed`.
  void read(const char* key, std::string& value, const std::vector<std::string>& allowed);
  void read(const char* key, std::int32_t& value, Range range = {});
  void read(const char* key, std::int64_t& value, Range range = {});
  void read(const char* key, std::uint64_t& value, Range range = {});
  void read(const char* key, double& value, Range range = {});
  /// A list without repetition, at least one element long; a single value is a list of one.
  void read(const char* key, std::vector<std::string>& values);
  void read(const char* key, std::vector<double>& values, Range range = {});
  void read(const char* key, std::vector<std::int32_t>& values, Range range = {});

  /// The table under `key`, or null.
  const ConfigNode* table(const char* key);
  /// The list under `key`, which must be there.
  const ConfigNode* list(const char* key);
  bool has(const char* key) const { return peek(key) != nullptr; }
  /// @throws ConfigError naming a key that was not asked for, and the nearest one that was
  void finish() const;
  /// @throws ConfigError "where: key = found; allowed: allowed"
  [[noreturn]] void refuse(const char* key, const std::string& allowed) const;
  /// Position of one element of a list, or of a single value.
  const std::string& where(const char* key, std::size_t index) const;
  /// The same for one element of a list.
  [[noreturn]] void refuse_element(const char* key, std::size_t index, const std::string& allowed) const;

 private:
  const ConfigNode* peek(const char* key) const;
  const ConfigNode& element(const char* key, std::size_t index) const;
  const ConfigNode* find(const char* key);
  std::string full_name(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  std::int64_t integer(const ConfigNode& node, const char* key, Range range, std::int64_t low, std::int64_t high) const;
  double real(const ConfigNode& node, const char* key, Range range) const;
  std::vector<const ConfigNode*> elements(const ConfigNode& node, const char* key) const;

  const ConfigNode& table_;
  std::string path_;
  std::vector<std::string> known_;
};

}  // namespace speclab::experiments
