// Each rule about whole texts, by hand. The order of all rules is compared with transformers in
// tests/engines/search/generation_parity_test.cpp.

#include "engines/sampling/text_rules.h"

#include <gtest/gtest.h>

#include "engines/sampling/score_processors.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// Scores of a vocabulary of four after the history.
std::vector<double> scores_of(const SamplingOptions& options, std::vector<Token> history,
                              std::vector<double> scores = {1, 2, 3, 4}) {
  std::vector<Token> scratch;
  process_scores<double>(options, scores, history, scratch);
  return scores;
}

/// A prompt of two tokens and at most three new ones.
SamplingOptions options_with(TextRules rules) {
  rules.set_lengths(2, 3);
  SamplingOptions options{.rules = std::move(rules)};
  options.eos_token_ids = {3};
  return options;
}

using Scores = std::vector<double>;

/// Defect: a sequence that counts where its beginning does not stand.
TEST(TextRules, BiasASequenceBehindItsBeginning) {
  const SamplingOptions options = options_with({.sequence_bias = {{{0}, -1.0}, {{1, 2}, 0.5}}});
  EXPECT_EQ(scores_of(options, {0, 0}), (Scores{0, 2, 3, 4}));
  EXPECT_EQ(scores_of(options, {0, 1}), (Scores{0, 2, 3.5, 4}));
}

TEST(TextRules, BanWordsButNotAnEndAlone) {
  const SamplingOptions options = options_with({.bad_words_ids = {{3}, {0}, {1, 2}}});
  EXPECT_EQ(scores_of(options, {0, 0}), (Scores{kNever, 2, 3, 4}));
  EXPECT_EQ(scores_of(options, {0, 1}), (Scores{kNever, 2, kNever, 4}));
}

TEST(TextRules, CountNewTokensFromThePrompt) {
  const SamplingOptions options = options_with({.min_new_tokens = 2});
  EXPECT_EQ(scores_of(options, {0, 0, 0}), (Scores{1, 2, 3, kNever}));
  EXPECT_EQ(scores_of(options, {0, 0, 0, 0}), (Scores{1, 2, 3, 4}));
}

TEST(TextRules, ForceTheLastToken) {
  const SamplingOptions options = options_with({.forced_eos_token_ids = {1, 2}});
  EXPECT_EQ(scores_of(options, {0, 0, 0}), (Scores{1, 2, 3, 4}));
  EXPECT_EQ(scores_of(options, {0, 0, 0, 0}), (Scores{kNever, 0, 0, kNever}));
}

TEST(TextRules, ForceTheTokenBehindAPromptOfOne) {
  TextRules rules{.forced_bos_token_id = 1};
  rules.begin_suppress_tokens = {2};
  SamplingOptions options{.rules = rules};
  options.rules.set_lengths(1, 3);
  EXPECT_EQ(scores_of(options, {0}), (Scores{kNever, 0, kNever, kNever}));
  EXPECT_EQ(scores_of(options, {0, 1}), (Scores{1, 2, kNever, 4})) << "the first free token";
  EXPECT_EQ(scores_of(options, {0, 1, 0}), (Scores{1, 2, 3, 4}));
}

TEST(TextRules, LetEndsGrow) {
  const SamplingOptions options =
      options_with({.exponential_decay_length_penalty = LengthDecay{1, 2.0}});
  EXPECT_EQ(scores_of(options, {0, 0, 0}), (Scores{1, 2, 3, 4}));
  EXPECT_EQ(scores_of(options, {0, 0, 0, 0}), (Scores{1, 2, 3, 8}));
  EXPECT_EQ(scores_of(options, {0, 0, 0, 0, 0}, {0, 0, 0, -4}), (Scores{0, 0, 0, 8}));
  EXPECT_EQ(scores_of(options, {0, 0, 0, 0}, {0, 0, 0, kNever}), (Scores{0, 0, 0, kNever}))
      << "a banned end is no number in transformers";
}

TEST(TextRules, ReplaceWhatIsNoNumber) {
  const SamplingOptions options = options_with({.remove_invalid_values = true});
  const double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(scores_of(options, {0, 0}, {std::nan(""), -kNever, kNever, 1}),
            (Scores{0, largest, -largest, 1}));
}

TEST(TextRules, AreChecked) {
  EXPECT_THROW(options_with({.bad_words_ids = {{}}}).validate(), ConfigError);
  EXPECT_THROW(options_with({.min_new_tokens = -1}).validate(), ConfigError);
  EXPECT_THROW(options_with({.exponential_decay_length_penalty = LengthDecay{0, 0.0}}).validate(),
               ConfigError);
  EXPECT_THROW(options_with({.sequence_bias = {{{7}, 1.0}}}).check_tokens(4, "small"), ConfigError);
  EXPECT_THROW(options_with({.sequence_bias = {{{0}, 5.0}, {{0}, 1.0}}}).validate(), ConfigError)
      << "a sequence twice";
}

}  // namespace
}  // namespace speclab::engines
