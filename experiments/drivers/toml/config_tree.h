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
/// The same with mistakes as findings; what could be read, for positions of further ones.
ConfigNode parse_config(const std::shared_ptr<const SourceText>& source, Findings& findings);

}  // namespace speclab::experiments
