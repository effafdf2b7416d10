#include "analysis/stats/pilot_choice.h"

#include <algorithm>

namespace speclab::analysis {
namespace {

/// What could be chosen at one model and setting, and is to be compared.
using Candidates = std::vector<const Group*>;

Candidates candidates_beside(const Group& plain, const std::vector<Group>& groups) {
  Candidates candidates;
  for (const Group& group : groups) {
    if (group.axes.plain() == plain.axes && group.summary.prediction.walltime_ns &&
        !group.summary.is_lossy())
      candidates.push_back(&group);
  }
  return candidates;
}

double predicted(const Group* group) { return *group->summary.prediction.walltime_ns; }
double measured(const Group* group) { return group->summary.walltime_ns.value; }

}  // namespace

std::vector<PilotChoice> pilot_choices(const std::vector<Group>& groups) {
  std::vector<PilotChoice> choices;
  for (const Group& plain : groups) {
    if (!plain.axes.is_plain()) continue;
    const Candidates candidates = candidates_beside(plain, groups);
    if (candidates.size() < 2) continue;
    choices.push_back({.chosen = *std::ranges::min_element(candidates, {}, predicted),
                       .fastest = *std::ranges::min_element(candidates, {}, measured)});
  }
  return choices;
}

}  // namespace speclab::analysis
