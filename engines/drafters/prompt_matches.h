#pragma once
// What followed the end of a sequence when it last occurred in it, for every sequence of a batch.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "engines/drafters/suffix_automaton.h"
#include "engines/interface/drafter.h"
#include "engines/interface/round_decoder.h"

namespace speclab::engines {

/// How far a copied token can be trusted. Of one text: how often the token that was to be copied
/// came, by the length of the suffix that it stood behind. What the text itself has not shown yet
/// is taken from texts before it.
/// @source results/reference/drafter_acceptance_cpu/lookup_weights: the target's own text, 896
/// texts at temperatures 0, 0.7 and 1
class CopyRecord {
 public:
  /// @param suffix  length in tokens, at least 1
  void add(std::size_t suffix, bool came_true);
  /// Expected share of copies behind such a suffix that come true, in (0, 1).
  double expected(std::size_t suffix) const;

 private:
  static constexpr std::array<double, 10> kBefore{0.16, 0.45, 0.54, 0.65, 0.73,
                                                  0.74, 0.79, 0.79, 0.89, 0.89};
  static constexpr double kWeightBefore = 8;  ///< as many copies of the text itself weigh as much
  struct Count {
    int copies = 0, came_true = 0;
  };

  static std::size_t place_of(std::size_t suffix);

  std::array<Count, kBefore.size()> counts_{};
};

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
