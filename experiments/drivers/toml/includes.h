#pragma once
#include "experiments/drivers/toml/config_tree.h"

namespace speclab::experiments {

/// A config file with what it includes: `include = "base.toml"` or a list of files, relative to the
/// file that names them. A key of the file itself holds over that of an included one, and that of a
/// later file over that of an earlier. Every node knows its file. Mistakes are findings: files that
/// cannot be read, circles, more than kMostIncludes files.
ConfigNode read_config_with_includes(const std::string& path, Findings& findings);

inline constexpr int kMostIncludes = 100;

}  // namespace speclab::experiments
