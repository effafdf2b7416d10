#pragma once
// The best texts that a group of beams has finished.

#include <cstdint>
#include <vector>

#include "engines/interface/sequence_search.h"

namespace speclab::engines {

/// How long a text may get, and where its new tokens begin.
struct BeamLengths {
  std::int32_t prompt = 0, longest = 0;
};

/// Keeps as many texts as the group has beams.
/// @source BeamHypotheses of transformers 4.49
class FinishedBeams {
 public:
  FinishedBeams(const SearchOptions& options, std::size_t size) : options_(options), size_(size) {}

  /// @param log_probability  of all its new tokens, in nats
  void add(FoundSequence sequence, double log_probability);
  /// Whether no open beam is worth going on with.
  /// @param best  log-probability of the best candidate of the last step
  /// @param length  of the texts after that step, prompt included
  bool are_final(double best, std::int32_t length, const BeamLengths& lengths) const;
  const std::vector<FoundSequence>& sequences() const { return sequences_; }

 private:
  double score(double log_probability, std::int32_t new_tokens) const;

  const SearchOptions& options_;
  std::size_t size_;
  std::vector<FoundSequence> sequences_;
  double worst_ = 1e9;
};

}  // namespace speclab::engines
