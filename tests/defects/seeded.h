#pragma once
// The switch of the seeded defects: sources copied by seed_defects.py ask it; nothing that ships
// knows of it.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace speclab::defects {

/// Whether the environment variable SPECLAB_DEFECT names this defect.
inline bool is_on(std::string_view name) {
  static const char* const active = std::getenv("SPECLAB_DEFECT");
  return active != nullptr && name == active;
}

}  // namespace speclab::defects

#define SPECLAB_SEEDED(name)                                \
  ([] {                                                     \
    static const bool on = ::speclab::defects::is_on(name); \
    return on;                                              \
  }())
