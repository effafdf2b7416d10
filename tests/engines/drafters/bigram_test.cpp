#include <gtest/gtest.h>

#include <cmath>

#include "tests/engines/drafters/drafting.h"

namespace speclab::engines {
namespace {

/// 1 is followed by 2 (4 times), 3 (twice) and 4 (once); 2 by 1; 3 and 4 by nothing.
std::shared_ptr<const BigramTable> table() {
  const std::vector<std::vector<Token>> texts{{1, 2, 1, 2, 1, 2, 1, 2}, {1, 3}, {1, 3}, {1, 4}};
  return std::make_shared<BigramTable>(BigramTable::count(texts, 6, 8));
}

Draft draft_of(double temperature, std::vector<Token> tokens, std::int32_t max_length, std::uint32_t round = 0) {
  const auto drafter = make_bigram_drafter(table(), {.sampling = {.temperature = temperature}, .seed = 4});
  return testing::propose(*drafter, testing::sequence_of(std::move(tokens), round), max_length);
}

TEST(BigramDrafter, FollowsTheMostFrequentSuccessorAtTemperatureZero) {
  const Draft draft = draft_of(0, {5, 1}, 5);
  EXPECT_EQ(testing::drafted_tokens(draft), (std::vector<Token>{2, 1, 2, 1, 2}));
  EXPECT_EQ(draft.draw_kind, DrawKind::arg_max);
}

TEST(BigramDrafter, EndsWhereNoSuccessorIsKnown) {
  EXPECT_EQ(draft_of(0, {1, 5}, 4).tree.drafted(), 0);
  for (std::uint32_t round = 0; round < 50; ++round) {
    const auto tokens = testing::drafted_tokens(draft_of(1, {1}, 6, round));
    ASSERT_FALSE(tokens.empty());
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) EXPECT_TRUE(tokens[i] == 1 || tokens[i] == 2);
  }
}

TEST(BigramDrafter, LawIsTheCountsToTheInverseTemperature) {
  for (const double temperature : {0.5, 1.0, 2.0}) {
    const Draft draft = draft_of(temperature, {1}, 1);
    const Law& law = draft.law_at(0);
    const double total = std::pow(4, 1 / temperature) + std::pow(2, 1 / temperature) + 1;
    EXPECT_NEAR(static_cast<double>(law[2]), std::pow(4, 1 / temperature) / total, 1e-6);
    EXPECT_NEAR(static_cast<double>(law[3]), std::pow(2, 1 / temperature) / total, 1e-6);
    EXPECT_NEAR(static_cast<double>(law[4]), 1 / total, 1e-6);
    EXPECT_EQ(law[5], 0.0f);
  }
}

TEST(BigramDrafter, DraftsNothingWhenNoneIsWanted) { EXPECT_EQ(draft_of(1, {1}, 0).tree.drafted(), 0); }

}  // namespace
}  // namespace speclab::engines
