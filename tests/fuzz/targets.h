#pragma once
// Readers as functions of bytes: whatever the bytes, they return; their own errors are caught, all
// others are findings.

#include <string>
#include <vector>

namespace speclab::fuzz {

struct Target {
  std::string name;
  void (*read)(const std::string& bytes);
  std::vector<std::string> (*seeds)();  ///< good inputs to begin with
};

const std::vector<Target>& targets();
/// What must hold of everything that a reader took. @throws std::logic_error, a finding
void require(bool condition, const char* what);

/// @throws std::out_of_range
const Target& target(const std::string& name);

}  // namespace speclab::fuzz
