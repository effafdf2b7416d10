#pragma once
// Rows of activations as the inexact products of low-bit weights read them: groups of 32, those of
// all rows side by side.

#include <cstdint>

#include "engines/cpu/weight_form.h"

namespace speclab::engines::cpu {

/// Activations of a group as x = scale * code.
struct alignas(16) Int8Group {
  std::int8_t codes[kGroupDepth];  ///< within each quad in the order of kDepthOfByte
  float scale;
  float sum;                  ///< of the group's activations, scale * (half_sums[0] + half_sums[1])
  std::int32_t half_sums[2];  ///< of the codes of 16 depths each
};
static_assert(sizeof(Int8Group) == 48);

/// Activations of a group in bfloat16.
struct alignas(16) BFloat16Group {
  std::uint16_t values[kGroupDepth];
  float half_sums[2];  ///< of 16 values each
};
static_assert(sizeof(BFloat16Group) == 80);

/// How activations meet low-bit weights.
enum class ProductKind : std::uint8_t {
  exact,     ///< weights rounded to bfloat16, as if they had been expanded on loading
  int8,      ///< stored codes times Int8Group
  bfloat16,  ///< stored codes times BFloat16Group
};

}  // namespace speclab::engines::cpu
