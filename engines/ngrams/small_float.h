#pragma once
// Probabilities in 16 bits: five bits of exponent and eleven of mantissa, for values from 2^-31 to
// just below 2.

#include <bit>
#include <cstdint>

namespace speclab::engines {

inline constexpr std::uint16_t kSmallFloatOne = 31u << 11;
/// Half a unit in the last place, relative: the largest error of a value within the range.
inline constexpr double kSmallFloatError = 1.0 / 4096;

inline float from_small_float(std::uint16_t code) {
  return std::bit_cast<float>((96u << 23) + (std::uint32_t{code} << 12));
}

/// The nearest code; values beyond an end of the range get that end.
inline std::uint16_t to_small_float(float value) {
  if (!(value > from_small_float(0))) return 0;
  if (value >= from_small_float(0xFFFF)) return 0xFFFF;
  return static_cast<std::uint16_t>(
      (std::bit_cast<std::uint32_t>(value) + (1u << 11) - (96u << 23)) >> 12);
}

}  // namespace speclab::engines
