#pragma once
// The non-linear functions of feed-forwards. Kernels include this header: no containers here.

#include <cstdint>

namespace speclab::engines {

enum class Activation : std::uint8_t {
  silu,       ///< x / (1 + exp(-x))
  gelu,       ///< x Phi(x) (Hendrycks & Gimpel 2016)
  gelu_tanh,  ///< its approximation by tanh, "gelu_new" and "gelu_pytorch_tanh" of transformers
  relu,
};

}  // namespace speclab::engines
