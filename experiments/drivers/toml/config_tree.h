#pragma once
// A TOML file as a plain tree in which every key and value knows where it stands.

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "experiments/drivers/toml/config_place.h"

namespace speclab::experiments {

struct ConfigEntry;

struct ConfigNode {
  using List = std::vector<ConfigNode>;
  using TableEntries = std::vector<ConfigEntry>;

  ConfigPlace where;
  std::variant<bool, std::int64_t, double, std::string, List, TableEntries> value;

  bool is_table() const { return std::holds_alternative<TableEntries>(value); }
  bool is_list() const { return std::holds_alternative<List>(value); }
  /// As it would stand in a config, cut where long: for messages.
  std::string text() const;
  std::string whole_text() const;  ///< the same, however long
};

struct ConfigEntry {
  std::string key;
  ConfigPlace where;
  ConfigNode node;
};

/// The root table of a TOML text. Behind a mistake of one line the rest is read on, so that all
/// such mistakes are found.
/// @param name  stands for the file in messages
/// @throws ConfigError with line, column and source line of every syntax error, duplicate key and
/// date (no key of ours is one)
ConfigNode parse_config(const std::string& content, const std::string& name);
/// @throws ConfigError also if the file cannot be read
ConfigNode read_config(const std::string& path);
/// @throws ConfigError if the file cannot be read
std::string read_config_text(const std::string& path);
/// The same with mistakes as findings; what could be read, for positions of further ones.
ConfigNode parse_config(const std::shared_ptr<const SourceText>& source, Findings& findings);

/// Applies "table.key=value"; the value is TOML, or a bare word for a string. Missing tables are
/// made.
/// @throws ConfigError if the assignment has no key, or a table stands where a value is set or the
/// reverse
void set_config_value(ConfigNode& root, const std::string& assignment);

/// The commands that read a config.
enum class ConfigCommand : std::uint8_t { run, train };
/// A config that was given to the wrong one is better refused at once than key by key.
/// @throws ConfigError if the root has tables of the other command and none of this one's
void expect_config_of(ConfigCommand command, const ConfigNode& root, const std::string& path);

/// The lines of comment that open a file, without the marks, joined by blanks.
std::string opening_comment(const std::string& content);

}  // namespace speclab::experiments
