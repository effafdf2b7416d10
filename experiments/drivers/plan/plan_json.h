#pragma once
#include <optional>
#include <string>
#include <vector>

#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/plan/time_estimate.h"

namespace speclab::experiments {

/// What `run --dry-run --json` adds to the plan.
struct PlanOutlook {
  std::string folder;  ///< of the run
  std::optional<SourcedEstimate> time{};
  bool needs_yes = false;            ///< `run` asks for --yes
  std::vector<std::string> notes{};  ///< for people
};

/// One object in one line: the counts of `describe`, every cell, and the outlook. Generations and
/// pilots of a kind that measures none are 0.
std::string plan_json(const Plan& plan, const PlanOutlook& outlook);

}  // namespace speclab::experiments
