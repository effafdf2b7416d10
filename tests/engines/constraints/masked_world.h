#pragma once
// A small world and a constraint on its texts: token 0 ends a text, the others are words.

#include <cmath>
#include <limits>

#include "engines/interface/text_constraint.h"
#include "engines/sampling/logits_pipeline.h"
#include "tests/engines/constraints/word_tokenizer.h"
#include "tests/support/small_world.h"

namespace speclab::engines::testing {

using speclab::testing::SmallWorld;
using speclab::testing::Tokens;

/// Words and a regular expression. Its mask is the shipping one; what may follow is also told by
/// trying out all texts, without an automaton's states.
class MaskedWords {
 public:
  MaskedWords(std::vector<std::string> words, const char* regex)
      : words_(std::make_shared<WordTokenizer>(std::move(words))),
        constraint_(regex_constraint(regex)) {}

  int vocab_size() const { return words_->vocab_size(); }
  std::shared_ptr<const WordTokenizer> tokenizer() const { return words_; }
  std::shared_ptr<const TokenMask> mask() const {
    return constraint_->mask({.tokenizer = words_, .size = vocab_size()});
  }
  bool matches(const Tokens& text) const { return constraint_->matches(words_->decode(text)); }

  /// Whether a text can become one that matches with at most `left` more words.
  bool can_match(const Tokens& text, int left) const {
    if (matches(text)) return true;
    for (Token token = 1; left > 0 && token < vocab_size(); ++token)
      if (can_match(speclab::testing::joined(text, {token}), left - 1)) return true;
    return false;
  }

  /// The rest of a law behind a text, scaled up to 1.
  std::vector<double> renormalised(const Tokens& text, std::vector<double> law) const {
    const bool has_ended = !text.empty() && text.back() == 0;
    double total = 0;
    for (Token token = 0; token < vocab_size(); ++token) {
      const bool allowed = has_ended ? token == 0
                           : token == 0
                               ? matches(text)
                               : can_match(speclab::testing::joined(text, {token}), kMostWords);
      double& p = law[static_cast<std::size_t>(token)];
      p = allowed ? p : 0;
      total += p;
    }
    for (double& p : law) p /= total;
    return law;
  }

 private:
  static constexpr int kMostWords = 4;

  std::shared_ptr<WordTokenizer> words_;
  std::shared_ptr<const TextConstraint> constraint_;
};

/// Processors that make a law of the shipping pipeline out of a world's.
inline auto masked_by(const SamplingOptions& sampling) {
  return [sampling](const Tokens& prefix, const std::vector<double>& law) {
    std::vector<double> logits;
    for (const double p : law)
      logits.push_back(p > 0 ? std::log(p) : -std::numeric_limits<double>::infinity());
    BasicLaw<double> result;
    BasicLogitsPipeline<double>(sampling).law(logits, prefix, result);
    std::vector<double> probabilities;
    for (Token token = 0; static_cast<std::size_t>(token) < law.size(); ++token)
      probabilities.push_back(result[token]);
    return probabilities;
  };
}

}  // namespace speclab::engines::testing
