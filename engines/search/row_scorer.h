#pragma once
// Scores of the next token of one beam.

#include <span>
#include <string>
#include <vector>

#include "engines/interface/round_decoder.h"
#include "engines/sampling/cutoffs.h"
#include "engines/sampling/vocabulary_passes.h"

namespace speclab::engines {

/// A place in the vocabulary, with its score.
struct ScoredToken {
  Token token = 0;
  float score = 0;
};

/// Logarithms of the softmax of beams, and logits in contrastive search, changed by the rules in
/// generate()'s order; if beams are drawn, by temperature and cutoffs too. Minus infinity stands
/// for a token that cannot follow.
class RowScorer {
 public:
  /// @param least  tokens that cutoffs leave at least
  RowScorer(const DecoderOptions& options, std::string model, std::size_t least);

  /// @param history  prompt and new tokens @param rivals  tokens that other groups have just
  /// chosen, each of which costs diversity_penalty
  /// @return [vocab], valid until the next call
  std::span<const float> scores(std::span<const float> logits, std::span<const Token> history,
                                std::span<const Token> rivals);

 private:
  void take_log_softmax(std::span<const float> logits);
  void cut();

  const DecoderOptions& options_;
  std::string model_;
  std::size_t least_;
  Cutoffs<float> cutoffs_;
  VocabularyPasses passes_;
  BasicLaw<float> law_;
  std::vector<float> scores_, probabilities_;
  std::vector<Token> scratch_;
};

/// The `count` best finite scores, falling; of equal ones the lowest token first.
std::vector<ScoredToken> best_of(std::span<const float> scores, std::size_t count);

}  // namespace speclab::engines
