#include "sim/policies/heuristic_policy.h"

#include <algorithm>

namespace speclab {

void HeuristicPolicy::observe(const RoundRecord& round) {
  if (round.depth == 0) return;
  length_ = round.accepted == round.depth ? length_ + 2 : std::max(1, length_ - 1);
}

}  // namespace speclab
