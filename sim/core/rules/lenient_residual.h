#pragma once
#include <cstdint>

namespace speclab {

/// What a rejection under lenience l leaves; the paper does not say.
enum class LenientResidual : std::uint8_t {
  full,     ///< norm max(0, p - q)
  lenient,  ///< norm max(0, p - l q)
};

}  // namespace speclab
