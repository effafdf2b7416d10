#pragma once
#include <functional>
#include <string>

namespace speclab::experiments {

/// What differs between two configs in the form of to_toml: a line "\n  table.key: was X, now Y"
/// for each changed key.
/// @param counts  of which keys
std::string config_changes(
    const std::string& was, const std::string& now,
    const std::function<bool(const std::string& key)>& counts = [](const std::string&) {
      return true;
    });

}  // namespace speclab::experiments
