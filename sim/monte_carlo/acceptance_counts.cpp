#include "sim/monte_carlo/acceptance_counts.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "sim/system/errors.h"

namespace speclab::sim {

void AcceptanceCounts::add(int depth, int accepted) {
  SPECLAB_EXPECT(
      accepted >= 0 && accepted <= depth && depth <= 4095,
      "a round of depth " + std::to_string(depth) + " accepted " + std::to_string(accepted));
  const auto tested = static_cast<std::size_t>(std::min(depth, accepted + 1));
  if (tested_.size() < tested) {
    tested_.resize(tested);
    accepted_.resize(tested);
  }
  for (std::size_t level = 0; level < tested; ++level) tested_[level] += 1.0;
  for (std::size_t level = 0; level < static_cast<std::size_t>(accepted); ++level)
    accepted_[level] += 1.0;
}

void AcceptanceCounts::add(const AcceptanceCounts& other) {
  tested_.resize(std::max(tested_.size(), other.tested_.size()));
  accepted_.resize(tested_.size());
  for (std::size_t level = 0; level < other.tested_.size(); ++level) {
    tested_[level] += other.tested_[level];
    accepted_[level] += other.accepted_[level];
  }
}

void AcceptanceCounts::remove(const AcceptanceCounts& other) {
  for (std::size_t level = 0; level < other.tested_.size(); ++level) {
    SPECLAB_EXPECT(
        tested_at(level) >= other.tested_[level] && accepted_at(level) >= other.accepted_[level],
        "more is removed than was added");
    tested_[level] -= other.tested_[level];
    accepted_[level] -= other.accepted_[level];
  }
}

double AcceptanceCounts::tested() const {
  return std::accumulate(tested_.begin(), tested_.end(), 0.0);
}

double AcceptanceCounts::accepted() const {
  return std::accumulate(accepted_.begin(), accepted_.end(), 0.0);
}

}  // namespace speclab::sim
