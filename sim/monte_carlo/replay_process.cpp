#include "sim/monte_carlo/replay_process.h"

#include <limits>

#include "sim/system/errors.h"

namespace speclab::sim {

ReplayProcess::ReplayProcess(std::span<const LoggedGeneration> log)
    : texts_(log.begin(), log.end()) {
  if (texts_.empty()) throw DataError("the trace is empty; a replay needs at least one generation");
}

void ReplayProcess::begin(const RngStream&, std::uint32_t sequence) {
  text_ = &texts_[sequence % texts_.size()];
  token_ = 0;
}

int ReplayProcess::begin_round(std::uint32_t) {
  const LoggedText::Place& place = text_->place(token_);
  accepted_ = place.accepted;
  return place.available;
}

DraftLevel ReplayProcess::level(int index) {
  return {.acceptance = index < accepted_ ? 1.0 : 0.0,
          .confidence = std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace speclab::sim
