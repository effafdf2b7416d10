#pragma once
#include <span>
#include <string_view>

#include "sim/system/errors.h"

namespace speclab::analysis {

/// What a gate says of two measurements.
enum class GateVerdict {
  same,       ///< no difference that counts
  fast,       ///< the head is faster, or better
  slow,       ///< the head is slower, or worse: the gate is shut
  ambiguous,  ///< a difference that would count, not shown to be one
  invalid,    ///< the two cannot be compared, or were not measured well enough
};

/// SAME, FAST, SLOW, AMBIGUOUS or INVALID.
std::string_view name(GateVerdict verdict);

/// SAME and FAST 0, SLOW 10, AMBIGUOUS 11, INVALID 12.
ExitCode exit_code(GateVerdict verdict);

/// The verdict of all together: SLOW if any is, else INVALID, AMBIGUOUS, FAST, SAME in this order.
/// None is INVALID: nothing was compared.
GateVerdict worst(std::span<const GateVerdict> verdicts);

}  // namespace speclab::analysis
