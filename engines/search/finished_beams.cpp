#include "engines/search/finished_beams.h"

#include <algorithm>
#include <cmath>

namespace speclab::engines {

double FinishedBeams::score(double log_probability, std::int32_t new_tokens) const {
  return log_probability / std::pow(static_cast<double>(new_tokens), options_.length_penalty);
}

void FinishedBeams::add(FoundSequence sequence, double log_probability) {
  sequence.score = score(log_probability, static_cast<std::int32_t>(sequence.ids.size()));
  if (sequences_.size() >= size_ && *sequence.score <= worst_) return;
  const double added = *sequence.score;
  sequences_.push_back(std::move(sequence));
  if (sequences_.size() <= size_) {
    worst_ = std::min(worst_, added);
    return;
  }
  sequences_.erase(std::ranges::min_element(sequences_, {}, &FoundSequence::score));
  worst_ = *std::ranges::min(sequences_, {}, &FoundSequence::score).score;
}

bool FinishedBeams::are_final(double best, std::int32_t length, const BeamLengths& lengths) const {
  if (sequences_.size() < size_) return false;
  if (options_.early_stopping == EarlyStopping::yes) return true;
  const bool at_any_length =
      options_.early_stopping == EarlyStopping::never && options_.length_penalty > 0;
  const std::int32_t reached = at_any_length ? lengths.longest : length;
  return worst_ >= score(best, reached - lengths.prompt);
}

}  // namespace speclab::engines
