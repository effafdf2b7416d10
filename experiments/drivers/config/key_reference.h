#pragma once
// The declared keys as a reader meets them.

#include <string>
#include <vector>

#include "experiments/drivers/toml/schema.h"

namespace speclab::experiments {

/// Two lines a key: name and default, what it may be; what it means.
std::string reference_text(const std::vector<DescribedKey>& keys);
/// A list of objects, one a key.
std::string reference_json(const std::vector<DescribedKey>& keys);
/// A table, one row a key.
std::string reference_markdown(const std::vector<DescribedKey>& keys);
/// "table: key, key" for every table, one a line, for --help.
std::string reference_names(const std::vector<DescribedKey>& keys);
/// These names under a heading line, for the footer of a command's --help.
std::string key_names_footer(const std::vector<DescribedKey>& keys);

}  // namespace speclab::experiments
