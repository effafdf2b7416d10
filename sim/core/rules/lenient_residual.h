#pragma once
#include <cstdint>

namespace speclab {

/// What a rejection under lenience l leaves; the paper does not say.
enum class LenientResidual : std::uint8_t {
  full,     ///< norm max(0, p - q)
  lenient,  ///< norm max(0, p - l q)
};

inline const char* to_string(LenientResidual form) {
  return form == LenientResidual::full ? "full" : "lenient";
}

}  // namespace speclab
