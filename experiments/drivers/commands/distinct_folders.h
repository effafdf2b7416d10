#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "sim/system/errors.h"

namespace speclab::experiments {

/// @throws ConfigError if two of them are one folder
inline void expect_distinct_folders(const std::vector<std::string>& folders) {
  std::set<std::filesystem::path> seen;
  for (const std::string& folder : folders)
    if (!seen.insert(std::filesystem::weakly_canonical(folder)).second)
      throw ConfigError(escaped(folder, 200) + " is given twice; give it once");
}

}  // namespace speclab::experiments
