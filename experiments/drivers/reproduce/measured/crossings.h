#pragma once
// Drafters that cross to the target from another tokenizer, as a sweep measured them.

#include <string>
#include <vector>

#include "experiments/drivers/reproduce/measured/measured_run.h"

namespace speclab::experiments {

/// A cell of a sweep whose drafter has another tokenizer.
struct Crossing {
  const analysis::Group* group = nullptr;
  std::string drafter;  ///< its model
  std::string bridge;
  VocabularyOverlap overlap{};

  const std::string& target() const { return group->axes.model; }
  double temperature() const { return group->axes.temperature; }
  /// "target=...;drafter=...", the same for every bridge
  std::string pair() const { return "target=" + target() + ";drafter=" + drafter; }
  std::string setting() const;
};

/// Every cell that drafted, in the order of the run. @throws DataError if one has no bridge, or
/// there is none
std::vector<Crossing> crossings_of(const MeasuredRun& run);

/// Texts that differ from plain decoding's. @param crossing  of temperature 0
Comparison other_texts(const Crossing& crossing);
/// Tokens of the drafter in a round.
analysis::Estimate draft_tokens_per_round(const MeasuredRun& run, const Crossing& crossing);
/// Time between the tokenizers, in shares of the time of all rounds.
analysis::Estimate spelling_share(const MeasuredRun& run, const Crossing& crossing);
/// Emitted tokens that the drafter's vocabulary does not hold, in shares of all.
analysis::Estimate unshared_share(const MeasuredRun& run, const Crossing& crossing);

}  // namespace speclab::experiments
