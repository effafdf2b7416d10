#pragma once
// A case of a table over ways of decoding, over all of its prompts.

#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/estimate.h"
#include "analysis/tables/modes.h"

namespace speclab::experiments {

struct ModeSummary {
  std::string name, keys, mode;
  analysis::Estimate tokens_per_s;
  double predicted_tokens_per_s = 0;
  double tokens_per_step = 0, rows_per_step = 0;
  std::optional<double> accepted_fraction{};    ///< of the drafts; missing where there are none
  std::optional<analysis::Estimate> speedup{};  ///< time of the first case / own, over prompts
  std::optional<double> predicted_speedup{};    ///< over the first case
  int same_texts = 0, prompts = 0;  ///< prompts with all texts as the first case has them, and all
};

/// In the order in which the first prompt's rows name the cases, each beside the case `first`.
/// @throws DataError if a case lacks a prompt, or no case is called `first`
std::vector<ModeSummary> summarise(const std::vector<analysis::ModeRow>& rows,
                                   const std::string& first);

}  // namespace speclab::experiments
