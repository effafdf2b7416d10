#pragma once
#include <vector>

#include "analysis/stats/groups.h"

namespace speclab::analysis {

/// Of the groups that share model and sampling settings: the one whose walltime the pilots
/// predicted to be the shortest, and the one that was found to have the shortest. Either may be
/// plain decoding; neither is lossy, which would be another text's time.
struct PilotChoice {
  const Group* chosen;
  const Group* fastest;
};

/// One choice for every model and sampling setting at which plain decoding and something else were
/// predicted and measured, in the order of `groups`, which must outlive the result.
std::vector<PilotChoice> pilot_choices(const std::vector<Group>& groups);

}  // namespace speclab::analysis
