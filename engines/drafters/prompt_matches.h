#pragma once
// What followed the end of a sequence when it last occurred in it, for every sequence of a batch.

#include <span>
#include <vector>

#include "engines/drafters/suffix_automaton.h"
#include "engines/interface/drafter.h"
#include "engines/interface/round_decoder.h"

namespace speclab::engines {

struct DraftPlace;

class PromptMatches {
 public:
  /// @throws ConfigError unless 1 <= min_ngram <= max_ngram
  explicit PromptMatches(const DrafterOptions& options);

  void begin(std::size_t batch);
  /// The tokens after the latest earlier occurrence of the longest suffix of max_ngram to min_ngram tokens, to the end of the
  /// sequence; none where no such suffix occurs earlier. A sequence that is no longer the continuation of what it was
  /// (forked, rolled back, another prompt) is read anew; comparing takes 4 bytes a token.
  std::span<const Token> continuation(const Sequence& sequence);

 private:
  void follow(SuffixAutomaton& automaton, const std::vector<Token>& tokens) const;

  std::size_t max_ngram_, min_ngram_;
  std::vector<SuffixAutomaton> automata_;  ///< by Sequence::index
};

/// Of `copied`, the continuation of a sequence, the token behind a node; null where its path is not a copy itself, or the copy ends.
const Token* copied_after(std::span<const Token> copied, const DraftPlace& place);

/// @throws ConfigError unless 0 < lookup_weight <= 1
double checked_lookup_weight(const DrafterOptions& options);

}  // namespace speclab::engines
