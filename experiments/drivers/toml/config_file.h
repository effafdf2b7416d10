#pragma once
// A config as its file, the files that this includes, and the options of the command line give it.

#include <cstdint>
#include <string>

#include "experiments/drivers/toml/config_tree.h"

namespace speclab::experiments {

/// The root table of a TOML file. @throws ConfigError as parse_config, or if it cannot be read
ConfigNode read_config(const std::string& path);

/// A config file with what it includes: `include = "base.toml"` or a list of files, relative to the
/// file that names them. A key of the file itself holds over that of an included one, and that of a
/// later file over that of an earlier. Every node knows its file. Mistakes are findings: files that
/// cannot be read, circles, more than kMostIncludes files.
ConfigNode read_config_with_includes(const std::string& path, Findings& findings);

inline constexpr int kMostIncludes = 100;

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
