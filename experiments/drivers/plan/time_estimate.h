#pragma once
#include <string>

#include "experiments/drivers/plan/plan.h"

namespace speclab::experiments {

/// What an earlier run says of a plan's time: nanoseconds a token of the same cell, else of the same model and drafter, else of the same
/// model. The cost surface and loading are not in it.
struct TimeEstimate {
  double seconds = 0;             ///< of the generations and pilots that are known
  std::size_t unknown_cells = 0;  ///< whose model was not measured
};

/// @param folder  of a run. @throws DataError if it cannot be read
TimeEstimate estimate_time(const Plan& plan, const std::string& folder);

/// A line for --dry-run. @param folder  empty: that nothing is known
std::string time_estimate_text(const Plan& plan, const std::string& folder);

}  // namespace speclab::experiments
