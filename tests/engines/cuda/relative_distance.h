#pragma once
#include <cmath>
#include <cstddef>
#include <span>

namespace speclab::engines::cuda {

/// || a - b || / || b ||; no number where one is in a.
inline double relative_distance(std::span<const float> a, std::span<const float> b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    size += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference / size);
}

}  // namespace speclab::engines::cuda
