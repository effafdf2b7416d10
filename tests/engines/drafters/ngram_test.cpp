#include <gtest/gtest.h>

#include <cmath>

#include "tests/engines/drafters/drafting.h"
#include "tests/engines/drafters/ngram_drafting.h"

namespace speclab::engines {
namespace {

/// 1 is followed by 2 (4 times), 3 (twice) and 4 (once); 2 by 1.
const std::vector<std::vector<Token>> kTexts{{1, 2, 1, 2, 1, 2, 1, 2}, {1, 3}, {1, 3}, {1, 4}};

std::shared_ptr<const NgramModel> model(std::int32_t order = 2) {
  return testing::ngrams_of(kTexts, 6, {.order = order});
}

Draft draft_of(double temperature, std::vector<Token> tokens, std::int32_t max_length,
               std::uint32_t round = 0, std::int32_t order = 2) {
  const auto drafter = testing::make_ngram_drafter(
      model(order),
      {.sampling = {.temperature = temperature}, .drafter = {.kind = "ngram"}, .seed = 4});
  return testing::propose(*drafter, testing::sequence_of(std::move(tokens), round), max_length);
}

TEST(NgramDrafter, FollowsTheMostLikelySuccessorAtTemperatureZero) {
  const Draft draft = draft_of(0, {5, 1}, 5);
  EXPECT_EQ(testing::drafted_tokens(draft), (std::vector<Token>{2, 1, 2, 1, 2}));
  EXPECT_EQ(draft.draw_kind, DrawKind::arg_max);
}

TEST(NgramDrafter, LooksAtDraftedTokensToo) {
  const std::vector<std::vector<Token>> texts{{0, 1, 2, 0, 1, 2, 0, 1, 2}, {3, 1, 4}, {3, 1, 4}};
  const auto drafter =
      testing::make_ngram_drafter(testing::ngrams_of(texts, 5, {.order = 3}),
                                  {.sampling = {.temperature = 0}, .drafter = {.kind = "ngram"}});
  EXPECT_EQ(testing::drafted_tokens(testing::propose(*drafter, testing::sequence_of({2, 0}), 4)),
            (std::vector<Token>{1, 2, 0, 1}));
  EXPECT_EQ(testing::drafted_tokens(testing::propose(*drafter, testing::sequence_of({3, 1}), 1)),
            (std::vector<Token>{4}));
}

TEST(NgramDrafter, DraftsFromShorterSuffixesWhereTheContextIsUnknown) {
  EXPECT_EQ(draft_of(0, {1, 5}, 2).tree.drafted(), 2);
  EXPECT_EQ(testing::drafted_tokens(draft_of(0, {5}, 1, 0, 1)), (std::vector<Token>{1}))
      << "the unigram's most frequent token";
}

TEST(NgramDrafter, LawIsTheModelsToTheInverseTemperature) {
  std::vector<LawEntry<float>> likely;
  model()->most_likely(std::vector<Token>{1}, likely);
  for (const double temperature : {0.5, 1.0, 2.0}) {
    const Draft draft = draft_of(temperature, {1}, 1);
    double total = 0;
    for (const auto& entry : likely)
      total += std::pow(static_cast<double>(entry.probability), 1 / temperature);
    for (const auto& entry : likely)
      EXPECT_NEAR(static_cast<double>(draft.law_at(0)[entry.token]),
                  std::pow(static_cast<double>(entry.probability), 1 / temperature) / total, 1e-6);
    EXPECT_EQ(draft.law_at(0)[5], 0.0f) << "never seen";
    EXPECT_EQ(draft.draw_kind, DrawKind::sampled);
  }
}

TEST(NgramDrafter, LawIsThatOfTheFewMostLikely) {
  const auto drafter =
      testing::make_ngram_drafter(testing::ngrams_of(kTexts, 6, {.order = 2, .max_successors = 2}),
                                  {.sampling = {.temperature = 1}, .drafter = {.kind = "ngram"}});
  const Draft draft = testing::propose(*drafter, testing::sequence_of({1}), 1);
  EXPECT_EQ(draft.law_at(0).entries().size(), 2u);
  EXPECT_NEAR(static_cast<double>(draft.law_at(0)[2] + draft.law_at(0)[3]), 1.0, 1e-6);
}

TEST(NgramDrafter, DraftsNothingWhenNoneIsWanted) {
  EXPECT_EQ(draft_of(1, {1}, 0).tree.drafted(), 0);
}

}  // namespace
}  // namespace speclab::engines
