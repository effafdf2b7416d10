#pragma once
#include <cstdint>

namespace speclab {

/// The law after a rejection under lenience l; the paper leaves it open.
enum class LenientResidual : std::uint8_t {
  full,     ///< norm max(0, p - q)
  lenient,  ///< norm max(0, p - l q)
};

inline const char* to_string(LenientResidual form) {
  return form == LenientResidual::full ? "full" : "lenient";
}

}  // namespace speclab
