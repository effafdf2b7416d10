#pragma once
// Short forms of the values that tests of sim are made of.

#include "sim/analytic/cost_surface.h"
#include "sim/core/records.h"

namespace speclab::testing {

/// A round that drafted `depth` levels and accepted `accepted` of them.
inline RoundRecord round_of(int depth, int accepted) {
  RoundRecord round;
  round.depth = depth;
  round.accepted = accepted;
  round.emitted = accepted + 1;
  return round;
}

/// A point without uncertainty.
inline sim::CostPoint point(sim::CostKind kind, int rows, int context, double ns) {
  return {kind, rows, context, ns, ns, ns, 30};
}

}  // namespace speclab::testing
