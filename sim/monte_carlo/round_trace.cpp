#include "sim/monte_carlo/round_trace.h"

#include <algorithm>
#include <limits>

#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

[[noreturn]] void refuse(const LoggedGeneration& generation, std::size_t round,
                         const std::string& message) {
  throw DataError("trace of prompt \"" + escaped(generation.prompt) + "\", round " +
                  std::to_string(round) + ": " + message);
}

void check_round(const LoggedGeneration& generation, std::size_t index) {
  const RoundRecord& round = generation.rounds[index];
  if (round.depth != round.drafted)
    refuse(generation, index,
           "drafted " + std::to_string(round.drafted) + " nodes on " + std::to_string(round.depth) +
               " levels; only chains can be replayed");
  if (round.accepted < 0 || round.accepted > round.depth || round.depth > 4095)
    refuse(generation, index, "must hold: 0 <= accepted <= depth <= 4095");
  const bool last = index + 1 == generation.rounds.size();
  if (round.emitted < 1 || round.emitted > round.accepted + 1 ||
      (!last && round.emitted != round.accepted + 1))
    refuse(generation, index,
           "emitted = " + std::to_string(round.emitted) +
               "; allowed: accepted + 1, and 1 to that in the last round");
}

}  // namespace

std::vector<DraftVerdict> verdicts_of(const LoggedGeneration& generation) {
  if (generation.rounds.empty())
    throw DataError("trace of prompt \"" + escaped(generation.prompt) + "\" has no rounds");
  std::vector<DraftVerdict> text;
  for (std::size_t i = 0; i < generation.rounds.size(); ++i) {
    check_round(generation, i);
    const RoundRecord& round = generation.rounds[i];
    text.insert(text.end(), static_cast<std::size_t>(round.accepted), DraftVerdict::accepted);
    text.push_back(round.accepted < round.depth ? DraftVerdict::rejected : DraftVerdict::unknown);
  }
  return text;
}

LoggedText::LoggedText(const LoggedGeneration& generation) {
  const std::vector<DraftVerdict> text = verdicts_of(generation);
  std::int32_t greatest_depth = 0;
  for (const RoundRecord& round : generation.rounds)
    greatest_depth = std::max(greatest_depth, round.depth);
  places_.resize(text.size());
  Place after{};  // nothing is known behind the end
  for (std::size_t token = text.size(); token-- > 0;) {
    if (text[token] == DraftVerdict::unknown) after = {};
    if (text[token] == DraftVerdict::rejected) after = {.available = greatest_depth, .accepted = 0};
    if (text[token] == DraftVerdict::accepted) {
      const bool ends_in_rejection = after.available > after.accepted;
      ++after.accepted;
      after.available =
          ends_in_rejection ? std::max(after.accepted + 1, greatest_depth) : after.accepted;
    }
    places_[token] = after;
  }
  for (const RoundRecord& round : generation.rounds) {
    places_[static_cast<std::size_t>(tokens_)] = {.available = round.depth,
                                                  .accepted = round.accepted};
    tokens_ += round.emitted;
  }
}

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
