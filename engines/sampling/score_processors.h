#pragma once
// Processors that change scores before the softmax. Templates over the scalar: the engines run them
// in float, the oracle and `speclab law` in double.

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "engines/interface/sampling_options.h"
#include "engines/sampling/text_rules.h"

namespace speclab::engines {

/// Positive scores of tokens seen before are divided by the penalty, negative ones multiplied; a
/// token counts once.
/// @source Keskar et al. 2019 (CTRL), as in generate()
template <typename Scalar>
void penalise_repetition(std::span<Scalar> scores, std::span<const Token> history, double penalty,
                         std::vector<Token>& scratch) {
  scratch.assign(history.begin(), history.end());
  std::sort(scratch.begin(), scratch.end());
  scratch.erase(std::unique(scratch.begin(), scratch.end()), scratch.end());
  const auto factor = static_cast<Scalar>(penalty);
  for (const Token token : scratch) {
    Scalar& score = scores[static_cast<std::size_t>(token)];
    score = score > 0 ? score / factor : score * factor;
  }
}

template <typename Scalar>
void ban(std::span<Scalar> scores, Token token) {
  scores[static_cast<std::size_t>(token)] = -std::numeric_limits<Scalar>::infinity();
}

/// Bans every token that would complete an n-gram that stands in the history. @param size  n >= 1
template <typename Scalar>
void ban_repeated_ngrams(std::span<Scalar> scores, std::span<const Token> history,
                         std::size_t size) {
  if (history.size() < size) return;
  const std::span<const Token> suffix = history.last(size - 1);
  for (std::size_t begin = 0; begin + size <= history.size(); ++begin)
    if (std::ranges::equal(history.subspan(begin, size - 1), suffix))
      ban(scores, history[begin + size - 1]);
}

/// Says that rules have banned every token.
inline constexpr const char* kNoTokenLeft =
    "the sampling settings leave no token at all; loosen the rules that ban or force tokens: "
    "suppress_tokens, bad_words_ids, no_repeat_ngram_size, min_length, min_new_tokens, "
    "forced_eos_token_id and their like, or the constraint";

/// Whether any of them does anything to this row.
inline bool changes_scores(const SamplingOptions& options) {
  return options.looks_back() || !options.suppress_tokens.empty() || options.rules.any();
}

/// Those that look at the whole text and come behind the penalties.
template <typename Scalar>
void apply_length_rules(const SamplingOptions& options, const RowScores<Scalar>& row) {
  const TextRules& rules = options.rules;
  const std::size_t length = row.history.size();
  const std::int64_t least_of_new =
      rules.min_new_tokens > 0 ? std::int64_t{rules.prompt_length} + rules.min_new_tokens : 0;
  const auto least =
      static_cast<std::size_t>(std::max(std::int64_t{options.min_length}, least_of_new));
  if (length < least)
    for (const Token token : options.eos_token_ids) row.ban(token);
  if (rules.forced_bos_token_id && length == 1) row.ban_all_but({&*rules.forced_bos_token_id, 1});
  if (!rules.forced_eos_token_ids.empty() &&
      length + 1 == static_cast<std::size_t>(rules.max_length))
    row.ban_all_but(rules.forced_eos_token_ids);
  if (rules.remove_invalid_values) replace_invalid(row.scores);
  if (rules.exponential_decay_length_penalty)
    decay_lengths(row, *rules.exponential_decay_length_penalty, rules.prompt_length,
                  std::span(options.eos_token_ids));
}

/// All of them, in generate()'s order, and the mask of a constraint last: it allows nothing that
/// another rule has banned.
/// @param history  prompt, output and the drafted path, in order
template <typename Scalar>
void process_scores(const SamplingOptions& options, std::span<Scalar> scores,
                    std::span<const Token> history, std::vector<Token>& scratch) {
  const TextRules& rules = options.rules;
  const RowScores<Scalar> row{scores, history};
  add_sequence_bias(row, rules.sequence_bias);
  if (options.repetition_penalty != 1.0)
    penalise_repetition(scores, history, options.repetition_penalty, scratch);
  if (options.no_repeat_ngram_size > 0)
    ban_repeated_ngrams(scores, history, static_cast<std::size_t>(options.no_repeat_ngram_size));
  ban_words(row, rules.bad_words_ids, std::span(options.eos_token_ids));
  apply_length_rules(options, row);
  for (const Token token : options.suppress_tokens) ban(scores, token);
  if (history.size() == first_new_place(rules))
    for (const Token token : rules.begin_suppress_tokens) ban(scores, token);
  if (rules.mask) keep_allowed(row, *rules.mask, rules.prompt_length);
}

}  // namespace speclab::engines
