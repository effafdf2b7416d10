#pragma once
// Kinds of norms. Kernels include this header: no containers here.

#include <cstdint>

namespace speclab::engines {

enum class NormKind : std::uint8_t {
  rms,    ///< x / sqrt(mean(x^2) + epsilon) * weight (Zhang & Sennrich 2019)
  layer,  ///< (x - mean) / sqrt(variance + epsilon) * weight + bias (Ba et al. 2016)
};

}  // namespace speclab::engines
