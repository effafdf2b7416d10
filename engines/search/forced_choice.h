#pragma once
// The beams that go on if texts must have words: some of the likely ones, some that further words.

#include <cstdint>
#include <vector>

#include "engines/search/forced_words.h"

namespace speclab::engines {

/// A text with one more token, before it is chosen.
struct Candidate {
  std::int32_t beam = 0;  ///< of the group
  Token token = 0;
  double log_probability = 0.0;
};

/// A candidate, and how far its text has come with the words.
struct ForcedCandidate {
  Candidate candidate;
  std::int64_t progress = 0;
};

/// The first `count` candidates in turn: the best of each progress, then the second best of each,
/// the farthest first. Progress counts as much as 100 nats. Candidates of equal progress form two
/// runs if another progress stands between them.
/// @source ConstrainedBeamSearchScorer of transformers 4.49
std::vector<Candidate> chosen_in_turn(std::vector<ForcedCandidate> candidates, std::size_t count);

}  // namespace speclab::engines
