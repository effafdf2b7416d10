#pragma once
// What followed the end of a sequence when it last occurred in it, for every sequence of a batch.

#include <span>
#include <vector>

#include "engines/drafters/copy_record.h"
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
  /// The tokens after the latest earlier occurrence of the longest suffix of max_ngram to min_ngram
  /// tokens, to the end of the sequence; none where no such suffix occurs earlier. A sequence that
  /// is no longer the continuation of what it was (forked, rolled back, another prompt) is read
  /// anew; comparing takes 4 bytes a token.
  std::span<const Token> continuation(const Sequence& sequence);
  /// Expected share of such continuations that come true at a depth of them, after all before came
  /// true. Of what was emitted of the sequence so far every place counts as a copy, whether it was
  /// drafted or not.
  /// @param sequence  whose continuation was asked for last
  double expected(const Sequence& sequence, std::size_t depth) const;

 private:
  struct Text {
    SuffixAutomaton known;
    CopyRecord copies{};
  };
  static void follow(Text& text, const Sequence& sequence);

  std::size_t max_ngram_, min_ngram_;
  std::vector<Text> texts_;  ///< by Sequence::index
};

/// Of `copied`, the continuation of a sequence, the token behind a node; null where its path is not
/// a copy itself, or the copy ends.
const Token* copied_after(std::span<const Token> copied, const DraftPlace& place);

}  // namespace speclab::engines
