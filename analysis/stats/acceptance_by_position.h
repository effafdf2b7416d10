#pragma once
#include <vector>

#include "analysis/stats/groups.h"

namespace speclab::analysis {

/// Acceptance at one position of the draft, 1 being the first drafted token.
struct PositionAcceptance {
  int position = 1;
  Estimate conditional_acceptance;  ///< P(accepted here | accepted before and a draft reaches here)
  Estimate survival;  ///< P(at least `position` accepted): product of the conditional rates so far
};

/// Positions from 1 to the last one at which a token was accepted. Rounds that end before a
/// position for lack of a draft do not count there, so that adaptive lengths do not look like
/// rejections. Empty if nothing was accepted.
/// @source Kaplan and Meier 1958 (product limit)
std::vector<PositionAcceptance> acceptance_by_position(const Generations& generations,
                                                       const Run& run, Bootstrap& bootstrap);

}  // namespace speclab::analysis
