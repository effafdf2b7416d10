#pragma once
// Bare forwards of a target, as the cost surface and the pace of the machine are made of.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/drivers/journal/run_entries.h"
#include "experiments/drivers/measure/forward_timer.h"

namespace speclab::experiments {

class Workbench;
struct LoadedPlan;

/// Tokens of the shortest and of the longest measured prompt that the model reads.
std::pair<int, int> prompt_lengths(const LoadedPlan& loaded, const std::string& model);

/// Times one target over every number of rows that the plan's rounds can have, at the first, middle
/// and last context that its generations pass through.
class ForwardCosts {
 public:
  ForwardCosts(Workbench& bench, const std::string& model);

  std::size_t num_contexts() const { return timers_.size(); }
  int context(std::size_t which) const { return timers_[which].first; }
  /// One timing of every number of rows, ascending.
  std::vector<ForwardTime> time_once(std::size_t which);

 private:
  std::set<int> rows_;
  bool follows_its_like_;  ///< small models: a forward is timed after another of as many rows, as
                           ///< in a generation
  std::vector<std::pair<int, ForwardTimer>> timers_;  ///< by context
};

}  // namespace speclab::experiments
