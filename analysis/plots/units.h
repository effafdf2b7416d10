#pragma once

namespace speclab::analysis {

inline constexpr double kNsPerMs = 1e6;

}  // namespace speclab::analysis
