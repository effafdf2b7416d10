#include "sim/analytic/generation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "tests/support/sim_values.h"

namespace speclab::sim {
namespace {

using speclab::testing::point;
using speclab::testing::round_of;

/// Target 100 + 10 a row beyond the first, draft 5 a level, overhead 2.
CostSurface flat_costs() {
  return CostSurface({point(CostKind::target, 1, 0, 100), point(CostKind::target, 11, 0, 200),
                      point(CostKind::draft, 1, 0, 5), point(CostKind::draft, 2, 0, 10),
                      point(CostKind::overhead, 1, 0, 2)});
}

TEST(PredictGeneration, IsExpectedRoundsTimesTheCostOfARound) {
  const std::vector<double> conditional(5, 0.8);
  const auto prediction =
      predict_generation(round_law(conditional), {.new_tokens = 128}, flat_costs());
  EXPECT_NEAR(prediction.rounds, 35.2015385203256, 1e-9);
  EXPECT_NEAR(prediction.decode_ns(), prediction.rounds * (150 + 25 + 2), 1e-8);
  EXPECT_NEAR(prediction.draft_ns, prediction.rounds * 25, 1e-9);
  EXPECT_NEAR(prediction.drafting_rounds, prediction.rounds, 1e-12);
}

TEST(PredictGeneration, IsPlainDecodingWithoutADraft) {
  const auto prediction =
      predict_generation(round_law(std::vector<double>{}), {.new_tokens = 64}, flat_costs());
  EXPECT_DOUBLE_EQ(prediction.rounds, 64);
  EXPECT_DOUBLE_EQ(prediction.decode_ns(), 64 * 102);
  EXPECT_EQ(prediction.drafting_rounds, 0.0);
}

TEST(PredictGeneration, FollowsTheGrowingContext) {
  const CostSurface costs({point(CostKind::target, 1, 0, 100),
                           point(CostKind::target, 1, 1000, 1100),
                           point(CostKind::overhead, 1, 0, 0)});
  const auto prediction = predict_generation(round_law(std::vector<double>{}),
                                             {.new_tokens = 10, .prompt_tokens = 50}, costs);
  EXPECT_NEAR(prediction.target_ns, 10 * 150 + 45, 1e-9);
}

TEST(PredictGeneration, ChargesRoundsWithoutAProposalAsPlainOnes) {
  const std::vector<double> depths{0.75, 0.0, 0.25};
  const auto prediction = predict_generation(round_law(depths, std::vector<double>{1.0, 1.0}),
                                             {.new_tokens = 3000}, flat_costs());
  EXPECT_NEAR(prediction.rounds, 3000 / 1.5, 1.0);
  EXPECT_NEAR(prediction.drafting_rounds / prediction.rounds, 0.25, 1e-12);
  EXPECT_NEAR(prediction.decode_ns() / prediction.rounds, 0.75 * 102 + 0.25 * (120 + 10 + 2), 1e-9);
}

TEST(PredictGeneration, CutsTheLastDraftsWhereTheDecoderDoes) {
  const std::vector<double> conditional(4, 1.0);
  GenerationPlan plan{.new_tokens = 7};
  EXPECT_DOUBLE_EQ(predict_generation(round_law(conditional), plan, flat_costs()).draft_ns, 2 * 20);
  plan.end_rule = EndRule::drafts_what_can_be_emitted;
  EXPECT_DOUBLE_EQ(predict_generation(round_law(conditional), plan, flat_costs()).draft_ns, 20 + 5);
}

TEST(PredictGeneration, ChargesATreeForItsRows) {
  const GenerationPlan plan{.new_tokens = 1, .rows_of_depth = {1, 3, 7}};
  EXPECT_DOUBLE_EQ(
      predict_generation(round_law(std::vector<double>{0.5, 0.5}), plan, flat_costs()).target_ns,
      160);
}

TEST(EmpiricalRoundLaw, KeepsTheDependenceOfDepthAndAcceptance) {
  const std::vector<RoundRecord> rounds{round_of(0, 0), round_of(4, 4), round_of(1, 0),
                                        round_of(0, 0)};
  const RoundLaw law = empirical_round_law(rounds);
  ASSERT_EQ(law.size(), 3U);
  EXPECT_DOUBLE_EQ(law[0].probability, 0.5);
  const RoundLaw cut = truncated(law, 1);
  ASSERT_EQ(cut.size(), 3U);
  EXPECT_EQ(cut[2].depth, 1);
  EXPECT_EQ(cut[2].accepted, 1);
}

TEST(Truncated, IsTheLawOfTheShorterLength) {
  const RoundLaw cut = truncated(round_law(std::vector<double>(6, 0.7)), 3);
  const RoundLaw direct = round_law(std::vector<double>(3, 0.7));
  for (const RoundOutcome& outcome : direct) {
    ASSERT_EQ(outcome.depth, 3);
    const auto same = std::find_if(cut.begin(), cut.end(),
                                   [&](const auto& o) { return o.accepted == outcome.accepted; });
    ASSERT_NE(same, cut.end());
    EXPECT_NEAR(same->probability, outcome.probability, 1e-15);
  }
}

TEST(PredictGeneration, RefusesWhatIsNoLaw) {
  EXPECT_THROW(predict_generation({{1, 2, 1.0}}, {}, flat_costs()), ContractError);
  EXPECT_THROW(predict_generation({{1, 1, 0.5}}, {}, flat_costs()), ContractError);
  EXPECT_THROW(
      predict_generation(round_law(std::vector<double>{0.5}), {.new_tokens = 0}, flat_costs()),
      ContractError);
  EXPECT_THROW(predict_generation(round_law(std::vector<double>{0.5, 0.5}),
                                  {.rows_of_depth = {1, 2}}, flat_costs()),
               ContractError);
  EXPECT_THROW(round_law(std::vector<double>{0.5, 0.5}, std::vector<double>{}), ContractError);
  EXPECT_THROW(empirical_round_law({}), ContractError);
}

}  // namespace
}  // namespace speclab::sim
