#pragma once
// The rules of TextRules on the scores of one row, each as generate() 4.49 has it.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "engines/interface/text_rules.h"
#include "engines/interface/token_mask.h"
#include "sim/system/errors.h"

namespace speclab::engines {

/// Scores of one row, and the text that they continue.
template <typename Scalar>
struct RowScores {
  std::span<Scalar> scores;        ///< [vocab]
  std::span<const Token> history;  ///< prompt, output and the drafted path, in order

  Scalar& of(Token token) const { return scores[static_cast<std::size_t>(token)]; }
  void ban(Token token) const { of(token) = -std::numeric_limits<Scalar>::infinity(); }
  void ban_all_but(std::span<const Token> allowed) const {
    std::ranges::fill(scores, -std::numeric_limits<Scalar>::infinity());
    for (const Token token : allowed) of(token) = 0;
  }
};

/// Whether the history ends with all tokens of a sequence but the last. generate() looks at no
/// sequence that is longer than the history.
inline bool stands_before_last(std::span<const Token> history, std::span<const Token> sequence) {
  const std::size_t size = sequence.size() - 1;
  return size == 0 || (sequence.size() <= history.size() &&
                       std::ranges::equal(history.last(size), sequence.first(size)));
}

template <typename Scalar>
void add_sequence_bias(const RowScores<Scalar>& row, std::span<const SequenceBias> biases) {
  for (const SequenceBias& one : biases)
    if (stands_before_last(row.history, one.tokens))
      row.of(one.tokens.back()) += static_cast<Scalar>(one.bias);
}

/// A list that holds an end alone does not forbid it.
template <typename Scalar>
void ban_words(const RowScores<Scalar>& row, std::span<const std::vector<Token>> words,
               std::span<const Token> ends) {
  for (const std::vector<Token>& word : words) {
    const bool is_end = word.size() == 1 && std::ranges::find(ends, word[0]) != ends.end();
    if (!is_end && stands_before_last(row.history, word)) row.ban(word.back());
  }
}

/// Scores of ends grow by their size times (factor ^ (tokens behind the start) - 1). An end that
/// another rule has banned stays so.
template <typename Scalar>
void decay_lengths(const RowScores<Scalar>& row, const LengthDecay& decay,
                   std::int32_t prompt_length, std::span<const Token> ends) {
  const auto behind = static_cast<std::int64_t>(row.history.size()) - prompt_length - decay.start;
  if (behind <= 0) return;
  constexpr double kMostGrowth = 1e30;  // so that scores stay within float
  const double growth =
      std::min(std::pow(decay.factor, static_cast<double>(behind)) - 1.0, kMostGrowth);
  constexpr double kLargest = static_cast<double>(std::numeric_limits<Scalar>::max());
  for (const Token end : ends) {
    const auto score = static_cast<double>(row.of(end));
    if (score > -kLargest)
      row.of(end) = static_cast<Scalar>(std::min(score + std::abs(score) * growth, kLargest));
  }
}

template <typename Scalar>
void replace_invalid(std::span<Scalar> scores) {
  for (Scalar& score : scores) {
    if (std::isnan(score)) score = 0;
    if (std::isinf(score))
      score =
          score > 0 ? std::numeric_limits<Scalar>::max() : std::numeric_limits<Scalar>::lowest();
  }
}

/// Bans every token that the mask does not allow behind the new tokens.
template <typename Scalar>
void keep_allowed(const RowScores<Scalar>& row, const TokenMask& mask, std::int32_t prompt_length) {
  const auto begin = static_cast<std::size_t>(prompt_length);
  const std::vector<bool>& allowed = mask.allowed(row.history.subspan(begin)).tokens;
  SPECLAB_EXPECT(allowed.size() == row.scores.size(), "a mask of the model's vocabulary");
  for (std::size_t i = 0; i < allowed.size(); ++i)
    if (!allowed[i]) row.ban(static_cast<Token>(i));
}

/// Place of the first new token, behind a forced begin.
inline std::size_t first_new_place(const TextRules& rules) {
  const bool is_forced = rules.prompt_length <= 1 && rules.forced_bos_token_id;
  return static_cast<std::size_t>(rules.prompt_length + (is_forced ? 1 : 0));
}

}  // namespace speclab::engines
