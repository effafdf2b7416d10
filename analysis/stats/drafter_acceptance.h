#pragma once
// What a drafter is worth at every place of the target's text, with intervals over prompts.

#include <optional>
#include <string>
#include <vector>

#include "analysis/stats/bootstrap.h"
#include "analysis/tables/acceptance.h"

namespace speclab::analysis {

struct DepthAcceptance {
  int depth = 1;
  Estimate acceptance;  ///< mean of sum min(p, q), given that the tokens before were kept
  Estimate survival;    ///< that the tokens up to here are kept
  std::vector<Estimate>
      in_top;  ///< [k - 1]: the target's mass on the drafter's k most likely tokens
};

/// The prompts of a cell, or of cells that differ in category alone.
struct DrafterAcceptance {
  Setting axes;
  std::string category;  ///< `all` if pooled
  std::int64_t positions = 0;
  std::size_t prompts = 0;
  Estimate coverage;                        ///< share of positions for which it drafts at all
  std::vector<DepthAcceptance> depths;      ///< empty where it never drafts
  std::optional<Estimate> acceptance_rate;  ///< accepted over tested, all depths
  Estimate tokens_per_round;  ///< 1 + the sum of the survival of every depth: a round that drafts
                              ///< as deep as was looked
};

/// In the order in which the rows first name them. @param pooled  over categories
std::vector<DrafterAcceptance> drafter_acceptance(const std::vector<AcceptanceRow>& rows,
                                                  bool pooled, Bootstrap& bootstrap);

}  // namespace speclab::analysis
