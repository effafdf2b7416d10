#pragma once
// Products of low-bit weights with activations in int8, number by number in the order that the
// kernels promise: exact within a group or half of one, groups in rising order.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "engines/cpu/weight_form.h"
#include "engines/formats/dequantise.h"

namespace speclab::engines::cpu::testing {

/// One group of a row as its file has it.
struct StoredGroup {
  int codes[kGroupDepth];  ///< less the zero
  int halves = 1;          ///< that have a scale each
  float scale[2] = {};
  float minimum = 0;
};

inline float half_at(std::span<const std::byte> block, std::size_t place) {
  std::uint16_t half;
  std::memcpy(&half, block.data() + place, sizeof half);
  return half_to_float(half);
}

/// @source ggml, dequantize_row_q4_0, _q4_1, _q5_0 and _q8_0
inline StoredGroup short_group(WeightForm form, std::span<const std::byte> block) {
  StoredGroup group;
  const auto at = [&](int place) {
    return std::to_integer<int>(block[static_cast<std::size_t>(place)]);
  };
  const bool has_minimum = form == WeightForm::q4_1, has_fifth = form == WeightForm::q5_0;
  const int first = has_minimum ? 4 : has_fifth ? 6 : 2;
  group.scale[0] = half_at(block, 0);
  if (has_minimum) group.minimum = half_at(block, 2);
  for (int i = 0; i < kGroupDepth; ++i) {
    if (form == WeightForm::q8_0) {
      group.codes[i] = static_cast<std::int8_t>(at(first + i));
      continue;
    }
    const int nibble = at(first + i % 16) >> (i < 16 ? 0 : 4) & 15;
    const int fifth = has_fifth ? at(2 + i / 8) >> i % 8 & 1 : 0;
    group.codes[i] = (nibble | fifth << 4) - (has_minimum ? 0 : has_fifth ? 16 : 8);
  }
  return group;
}

/// @source ggml, get_scale_min_k4 and dequantize_row_q4_K
inline StoredGroup q4_k_group(std::span<const std::byte> block, int g) {
  StoredGroup group;
  const auto at = [&](int place) {
    return std::to_integer<int>(block[static_cast<std::size_t>(place)]);
  };
  const int q = 4 + g;
  const int scale = g < 4 ? at(q) & 63 : (at(q + 4) & 15) | (at(q - 4) >> 6) << 4;
  const int minimum = g < 4 ? at(q + 4) & 63 : at(q + 4) >> 4 | (at(q) >> 6) << 4;
  group.scale[0] = half_at(block, 0) * static_cast<float>(scale);
  group.minimum = -(half_at(block, 2) * static_cast<float>(minimum));
  for (int i = 0; i < kGroupDepth; ++i)
    group.codes[i] = at(16 + g / 2 * 32 + i) >> (g % 2 == 0 ? 0 : 4) & 15;
  return group;
}

/// @source ggml, dequantize_row_q6_K
inline StoredGroup q6_k_group(std::span<const std::byte> block, int g) {
  StoredGroup group{.codes = {}, .halves = 2};
  const auto at = [&](int place) {
    return std::to_integer<int>(block[static_cast<std::size_t>(place)]);
  };
  for (int half = 0; half < 2; ++half)
    group.scale[half] =
        half_at(block, 208) * static_cast<float>(static_cast<std::int8_t>(at(192 + 2 * g + half)));
  const int part = g / 4, quarter = g % 4;
  for (int i = 0; i < kGroupDepth; ++i) {
    const int low = at(part * 64 + quarter % 2 * 32 + i) >> (quarter < 2 ? 0 : 4) & 15;
    const int high = at(128 + part * 32 + i) >> 2 * quarter & 3;
    group.codes[i] = (low | high << 4) - 32;
  }
  return group;
}

/// @param row  of a stored matrix
inline StoredGroup stored_group(WeightForm form, std::span<const std::byte> row, int group,
                                std::size_t block_bytes) {
  const bool is_long = form == WeightForm::q4_k || form == WeightForm::q6_k;
  const auto block =
      row.subspan(static_cast<std::size_t>(is_long ? group / 8 : group) * block_bytes);
  if (!is_long) return short_group(form, block);
  return form == WeightForm::q4_k ? q4_k_group(block, group % 8) : q6_k_group(block, group % 8);
}

/// sum + a b, rounded once or twice.
inline float multiplied_and_added(bool is_fused, float a, float b, float sum) {
  if (is_fused) return std::fma(a, b, sum);
  const volatile float product = a * b;  // the compiler would round once
  return sum + product;
}

/// `sum` and the product of one group of weights and one of activations.
inline float with_group(bool is_fused, const StoredGroup& weights, const Int8Group& x, float sum) {
  const int size = kGroupDepth / weights.halves;
  for (int half = 0; half < weights.halves; ++half) {
    std::int32_t products = 0;
    for (int i = half * size; i < (half + 1) * size; ++i) {
      const int byte = kDepthOfByte[i % kStepDepth];  // the order is its own inverse
      products += weights.codes[i] * x.codes[i / kStepDepth * kStepDepth + byte];
    }
    sum = multiplied_and_added(is_fused, static_cast<float>(products),
                               weights.scale[half] * x.scale, sum);
  }
  return weights.minimum == 0 ? sum : multiplied_and_added(is_fused, weights.minimum, x.sum, sum);
}

}  // namespace speclab::engines::cpu::testing
