#include "sim/monte_carlo/round_law_process.h"

#include <limits>
#include <utility>

#include "sim/system/errors.h"

namespace speclab::sim {

RoundLawProcess::RoundLawProcess(RoundLaw law) : law_(std::move(law)) {
  SPECLAB_EXPECT(!law_.empty(), "the law of a round is empty");
  for (const RoundOutcome& outcome : law_) {
    SPECLAB_EXPECT(outcome.accepted >= 0 && outcome.accepted <= outcome.depth &&
                       outcome.depth <= kMaxLevels && outcome.probability >= 0.0,
                   "a round accepts 0 to depth levels, at most 4095, with a probability >= 0");
    weights_.push_back(outcome.probability);
  }
}

void RoundLawProcess::begin(const RngStream& stream, std::uint32_t sequence) {
  chance_ = PhiloxChance(stream.seed());
  sequence_ = sequence;
}

int RoundLawProcess::begin_round(std::uint32_t round) {
  const StreamKey key{sequence_, round, Purpose::accept, 0};
  const RoundOutcome& outcome = law_[chance_.categorical(key, std::span<const double>(weights_))];
  accepted_ = outcome.accepted;
  return outcome.depth;
}

DraftLevel RoundLawProcess::level(int index) {
  return {.acceptance = index < accepted_ ? 1.0 : 0.0,
          .confidence = std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace speclab::sim
