#pragma once
// A TOML file as a plain tree in which every key and value knows where it stands.

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace speclab::experiments {

struct ConfigEntry;

struct ConfigNode {
  using List = std::vector<ConfigNode>;
  using TableEntries = std::vector<ConfigEntry>;

  std::string where;  ///< "file:line:column", or the command-line option that set it
  std::variant<bool, std::int64_t, double, std::string, List, TableEntries> value;

  bool is_table() const { return std::holds_alternative<TableEntries>(value); }
  bool is_list() const { return std::holds_alternative<List>(value); }
  /// As it would stand in a config, cut where long: for messages.
  std::string text() const;
  std::string whole_text() const;  ///< the same, however long
};

struct ConfigEntry {
  std::string key;
  std::string where;
  ConfigNode node;
};

/// The root table of a TOML text. @param name  stands for the file in messages
/// @throws ConfigError with line and column at a syntax error, a duplicate key, or a date (no key of ours is one)
ConfigNode parse_config(const std::string& content, const std::string& name);
/// @throws ConfigError also if the file cannot be read
ConfigNode read_config(const std::string& path);

/// Applies "table.key=value"; the value is TOML, or a bare word for a string. Missing tables are made.
/// @throws ConfigError if the assignment has no key, or a table stands where a value is set or the reverse
void set_config_value(ConfigNode& root, const std::string& assignment);

/// The lines of comment that open a file, without the marks, joined by blanks.
std::string opening_comment(const std::string& content);

}  // namespace speclab::experiments
