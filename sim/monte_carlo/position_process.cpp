#include "sim/monte_carlo/position_process.h"

#include <algorithm>
#include <utility>

#include "sim/system/errors.h"

namespace speclab::sim {

PositionProcess::PositionProcess(std::vector<double> conditional_acceptance)
    : conditional_acceptance_(std::move(conditional_acceptance)) {
  SPECLAB_EXPECT(!conditional_acceptance_.empty(), "conditional_acceptance is empty");
  for (const double acceptance : conditional_acceptance_)
    SPECLAB_EXPECT(acceptance >= 0.0 && acceptance <= 1.0,
                   "conditional_acceptance = " + std::to_string(acceptance) + "; allowed: 0 to 1");
}

DraftLevel PositionProcess::level(int index) {
  const double acceptance = conditional_acceptance_[std::min(static_cast<std::size_t>(index),
                                                             conditional_acceptance_.size() - 1)];
  return {.acceptance = acceptance, .confidence = acceptance};
}

}  // namespace speclab::sim
