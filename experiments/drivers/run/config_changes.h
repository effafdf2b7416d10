#pragma once
#include <string>

namespace speclab::experiments {

/// What differs between two configs in the form of to_toml: a line "\n  table.key: was X, now Y" for each changed key.
std::string config_changes(const std::string& was, const std::string& now);

}  // namespace speclab::experiments
