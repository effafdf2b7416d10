#include <gtest/gtest.h>

#include "sim/core/errors.h"
#include "tests/engines/drafters/drafting.h"

namespace speclab::engines {
namespace {

std::vector<Token> looked_up(std::vector<Token> tokens, std::int32_t max_length, DrafterOptions options = {}) {
  const auto drafter = make_prompt_lookup_drafter({.drafter = options}, 300);
  const Draft draft = testing::propose(*drafter, testing::sequence_of(std::move(tokens)), max_length);
  EXPECT_TRUE(draft.tree.is_chain());
  EXPECT_EQ(draft.draw_kind, DrawKind::arg_max);
  return testing::drafted_tokens(draft);
}

using Tokens = std::vector<Token>;

TEST(PromptLookup, CopiesWhatFollowedTheSuffix) { EXPECT_EQ(looked_up({1, 2, 3, 4, 5, 6, 9, 1, 2, 3}, 3), (Tokens{4, 5, 6})); }

TEST(PromptLookup, ItsLawsAreOverTheTargetsVocabulary) {
  const auto drafter = make_prompt_lookup_drafter({}, 300);
  const Draft draft = testing::propose(*drafter, testing::sequence_of({1, 2, 3, 1, 2}), 1);
  EXPECT_EQ(draft.law_at(0).vocab_size(), 300u);
}

TEST(PromptLookup, TakesTheLatestMatch) { EXPECT_EQ(looked_up({1, 2, 3, 7, 1, 2, 3, 8, 1, 2, 3}, 2), (Tokens{8, 1})); }

TEST(PromptLookup, PrefersALongerMatchToALaterOne) { EXPECT_EQ(looked_up({1, 2, 3, 7, 5, 3, 8, 1, 2, 3}, 1), (Tokens{7})); }

TEST(PromptLookup, FallsBackToShorterSuffixes) {
  EXPECT_EQ(looked_up({4, 3, 9, 1, 2, 3}, 1), (Tokens{9}));
  EXPECT_TRUE(looked_up({4, 3, 9, 1, 2, 3}, 1, {.min_ngram = 2}).empty());
}

TEST(PromptLookup, DraftsNothingWithoutAMatch) { EXPECT_TRUE(looked_up({1, 2, 3, 4, 5}, 4).empty()); }

TEST(PromptLookup, DraftsNothingWhereThePromptIsShorterThanTheNgram) {
  EXPECT_TRUE(looked_up({5}, 4).empty());
  EXPECT_TRUE(looked_up({5, 5}, 4, {.max_ngram = 3, .min_ngram = 2}).empty());
  EXPECT_EQ(looked_up({5, 5}, 4), (Tokens{5}));
}

TEST(PromptLookup, CopiesNoFurtherThanTheSequence) {
  EXPECT_EQ(looked_up({1, 2, 3, 1, 2, 3}, 10), (Tokens{1, 2, 3}));
  EXPECT_EQ(looked_up({7, 7, 7, 7, 7}, 10), (Tokens{7}));
}

TEST(PromptLookup, DraftsNothingWhenNoneIsWanted) { EXPECT_TRUE(looked_up({1, 2, 1}, 0).empty()); }

TEST(PromptLookup, LawIsCertainOfTheCopiedToken) {
  const auto drafter = make_prompt_lookup_drafter({}, 300);
  const Draft draft = testing::propose(*drafter, testing::sequence_of({1, 2, 8, 1, 2}), 2);
  EXPECT_EQ(draft.law_at(0)[8], 1.0f);
  EXPECT_EQ(draft.law_at(1)[1], 1.0f);
}

TEST(PromptLookup, RefusesImpossibleNgrams) {
  EXPECT_THROW(make_prompt_lookup_drafter({.drafter = {.max_ngram = 3, .min_ngram = 0}}, 300), ConfigError);
  EXPECT_THROW(make_prompt_lookup_drafter({.drafter = {.max_ngram = 1, .min_ngram = 2}}, 300), ConfigError);
}

}  // namespace
}  // namespace speclab::engines
