#pragma once
// The kinds of norms and of the feed-forwards' non-linear functions. Kernels include this header:
// no containers here.

#include <cstdint>

namespace speclab::engines {

enum class Activation : std::uint8_t {
  silu,       ///< x / (1 + exp(-x))
  gelu,       ///< x Phi(x) (Hendrycks & Gimpel 2016)
  gelu_tanh,  ///< its approximation by tanh, "gelu_new" and "gelu_pytorch_tanh" of transformers
  relu,
};

enum class NormKind : std::uint8_t {
  rms,    ///< x / sqrt(mean(x^2) + epsilon) * weight (Zhang & Sennrich 2019)
  layer,  ///< (x - mean) / sqrt(variance + epsilon) * weight + bias (Ba et al. 2016)
};

}  // namespace speclab::engines
