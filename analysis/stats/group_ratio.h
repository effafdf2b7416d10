#pragma once
// Sums and ratios of sums over generations, with prompts as clusters, and acceptance by position.

#include <functional>
#include <optional>
#include <vector>

#include "analysis/stats/bootstrap.h"
#include "analysis/tables/run_folder.h"

namespace speclab::analysis {

using Generations = std::vector<const Generation*>;

/// A number of one generation, for instance its tokens.
using Quantity = std::function<double(const Generation&)>;

/// 0 over no generations.
double sum_over(const Generations& generations, const Quantity& quantity);

/// The sum of one quantity over that of another, resampled by prompt. It has no interval if it
/// is 0. @return nothing if the denominator is not above 0
std::optional<Estimate> ratio_over(const Generations& generations, const Quantity& numerator,
                                   const Quantity& denominator, Bootstrap& bootstrap);

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
