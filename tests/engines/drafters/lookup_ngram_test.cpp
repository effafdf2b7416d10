#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/drafters/drafting.h"
#include "tests/engines/drafters/ngram_drafting.h"

namespace speclab::engines {
namespace {

/// After 1 comes 2, after 2 comes 3, and so on.
std::shared_ptr<const NgramModel> backing_ngrams() {
  return testing::ngrams_of({{1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1}}, 8, {.order = 2});
}

Draft draft_of(double temperature, double weight, std::vector<Token> tokens,
               std::int32_t max_length, std::uint32_t round = 0) {
  const auto drafter = testing::make_lookup_ngram_drafter(
      backing_ngrams(),
      {.sampling = {.temperature = temperature},
       .drafter = {.kind = "lookup_ngram", .min_ngram = 1, .lookup_weight = weight},
       .seed = 4});
  return testing::propose(*drafter, testing::sequence_of(std::move(tokens), round), max_length);
}

using Tokens = std::vector<Token>;

TEST(LookupNgram, CopiesAndGoesOnWithTheNgramsAtTemperatureZero) {
  EXPECT_EQ(testing::drafted_tokens(draft_of(0, 1.0, {7, 7, 5, 7, 7}, 5)), (Tokens{5, 7, 7, 1, 2}))
      << "7 is followed by the most frequent token";
  EXPECT_EQ(testing::drafted_tokens(draft_of(0, 0.5, {6, 1}, 3)), (Tokens{2, 3, 4}))
      << "nothing to copy";
}

/// That 1 follows 5 the n-grams hold for likelier than a half.
TEST(LookupNgram, AtTemperatureZeroLeavesTheCopyWhereTheNgramsAreSurer) {
  EXPECT_EQ(testing::drafted_tokens(draft_of(0, 0.5, {7, 7, 5, 7, 7}, 3)), (Tokens{5, 1, 2}));
}

TEST(LookupNgram, LawIsTheMixtureWhereThereIsACopy) {
  const double weight = 0.7;
  const Draft mixed = draft_of(1, weight, {3, 1, 3}, 1), alone = draft_of(1, weight, {3}, 1);
  for (Token token = 0; token < 8; ++token) {
    const double copied = token == 1 ? weight : 0.0;
    EXPECT_NEAR(static_cast<double>(mixed.law_at(0)[token]),
                (1 - weight) * static_cast<double>(alone.law_at(0)[token]) + copied, 1e-6)
        << token;
  }
}

TEST(LookupNgram, CopiesWithCertaintyWhereTheWeightIsOne) {
  for (std::uint32_t round = 0; round < 20; ++round) {
    const Draft draft = draft_of(1, 1.0, {3, 1, 6, 3}, 2, round);
    EXPECT_EQ(testing::drafted_tokens(draft), (Tokens{1, 6}));
    EXPECT_EQ(draft.law_at(0)[1], 1.0f);
  }
}

/// After a token that is not the copied one there is no more to copy.
TEST(LookupNgram, StopsCopyingWhereItDrewAnotherToken) {
  int others = 0;
  for (std::uint32_t round = 0; round < 200; ++round) {
    const Draft draft = draft_of(1, 0.5, {3, 1, 6, 3}, 2, round);
    const Token first = testing::drafted_tokens(draft)[0];
    others += first != 1;
    if (first == 1)
      EXPECT_GE(draft.law_at(1)[6], 0.5f);
    else
      EXPECT_LT(draft.law_at(1)[6], 0.5f);
  }
  EXPECT_GT(others, 20);
}

/// The model is sure that 4 follows 3, and that weighs more than a copy behind one token.
TEST(LookupNgram, LooksUpAsManyTokensAsItIsTold) {
  const auto drafted = [](const DrafterOptions& options, Tokens tokens) {
    const auto drafter = testing::make_lookup_ngram_drafter(
        backing_ngrams(), {.sampling = {.temperature = 0}, .drafter = options});
    return testing::drafted_tokens(
        testing::propose(*drafter, testing::sequence_of(std::move(tokens)), 1));
  };
  EXPECT_EQ(drafted({.kind = "lookup_ngram"}, {3, 7, 3}), (Tokens{4}));
  EXPECT_EQ(drafted({.kind = "lookup_ngram", .min_ngram = 2, .lookup_weight = 1.0}, {3, 7, 3}),
            (Tokens{4}));
  EXPECT_EQ(
      drafted({.kind = "lookup_ngram", .min_ngram = 2, .lookup_weight = 1.0}, {2, 3, 7, 2, 3}),
      (Tokens{7}));
  EXPECT_EQ(drafted({.kind = "lookup_ngram", .lookup_weight = 1.0}, {3, 7, 3}), (Tokens{7}));
  EXPECT_EQ(drafted({.kind = "lookup_ngram", .max_ngram = 1, .lookup_weight = 1.0}, {3, 7, 3}),
            (Tokens{7}));
}

TEST(LookupNgram, RefusesAWeightOutsideItsRange) {
  for (const double weight : {0.0, -0.5, 1.5})
    EXPECT_THROW(draft_of(1, weight, {1}, 1), ConfigError) << weight;
}

TEST(LookupNgram, DraftsNothingWhenNoneIsWanted) {
  EXPECT_EQ(draft_of(1, 0.5, {1, 2, 1}, 0).tree.drafted(), 0);
}

}  // namespace
}  // namespace speclab::engines
