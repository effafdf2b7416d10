#include "analysis/stats/drafter_acceptance.h"

#include <gtest/gtest.h>

#include "sim/core/rng_stream.h"

namespace speclab::analysis {
namespace {

AcceptanceRow row(const std::string& category, const std::string& prompt, int depth, double reached,
                  double accepted, std::vector<double> in_top = {}) {
  AcceptanceRow result{.cell_id = "c " + category,
                       .category = category,
                       .prompt_id = prompt,
                       .axes = {.model = "m",
                                .drafter = "ngram",
                                .tree = "chain",
                                .policy = "constant:4",
                                .verifier = "rejection"},
                       .positions = 100,
                       .depth = depth,
                       .sums = {.drafts = 100, .reached = reached, .accepted = accepted}};
  result.sums.known_ranks = in_top.size();
  std::ranges::copy(in_top, result.sums.in_top.begin());
  return result;
}

TEST(DrafterAcceptance, IsARatioOfTotals) {
  Bootstrap bootstrap(1);
  const std::vector<AcceptanceRow> rows{
      row("a", "a1", 1, 100, 50, {40, 60}), row("a", "a1", 2, 50, 10, {10}),
      row("b", "b1", 1, 80, 20, {20, 40}), row("b", "b1", 2, 20, 10, {5, 15})};
  const auto pooled = drafter_acceptance(rows, true, bootstrap);
  ASSERT_EQ(pooled.size(), 1U);
  EXPECT_EQ(pooled[0].category, "all");
  EXPECT_EQ(pooled[0].prompts, 2U);
  EXPECT_EQ(pooled[0].positions, 200);
  EXPECT_DOUBLE_EQ(pooled[0].acceptance_rate->value, 90.0 / 250);
  ASSERT_EQ(pooled[0].depths.size(), 2U);
  EXPECT_DOUBLE_EQ(pooled[0].depths[0].acceptance.value, 70.0 / 180);
  EXPECT_DOUBLE_EQ(pooled[0].depths[1].survival.value, 70.0 / 180 * 20 / 70);
  ASSERT_EQ(pooled[0].depths[0].in_top.size(), 2U);
  EXPECT_DOUBLE_EQ(pooled[0].depths[0].in_top[1].value, 100.0 / 180);
  EXPECT_EQ(pooled[0].depths[1].in_top.size(), 1U)
      << "ranks that one prompt does not tell are unknown";
  ASSERT_TRUE(pooled[0].depths[0].acceptance.interval);
  EXPECT_GE(pooled[0].depths[0].acceptance.interval->low, 0.0);
  EXPECT_LE(pooled[0].depths[0].acceptance.interval->high, 1.0);
  EXPECT_DOUBLE_EQ(pooled[0].tokens_per_round.value, 1 + 70.0 / 180 + 20.0 / 180);
  const auto apart = drafter_acceptance(rows, false, bootstrap);
  ASSERT_EQ(apart.size(), 2U);
  EXPECT_DOUBLE_EQ(apart[1].depths[0].acceptance.value, 0.25);
}

TEST(DrafterAcceptance, IsNothingWhereNothingWasDraftedAndZeroWhereNothingWasKept) {
  Bootstrap bootstrap(1);
  AcceptanceRow silent = row("a", "a1", 1, 0, 0);
  silent.sums.drafts = 0;
  const auto none = drafter_acceptance({silent}, true, bootstrap);
  EXPECT_TRUE(none[0].depths.empty());
  EXPECT_FALSE(none[0].acceptance_rate);
  EXPECT_EQ(none[0].coverage.value, 0.0);
  const auto lost =
      drafter_acceptance({row("a", "a1", 1, 100, 0), row("a", "a2", 1, 100, 0)}, true, bootstrap);
  ASSERT_EQ(lost[0].depths.size(), 1U);
  EXPECT_EQ(lost[0].depths[0].acceptance.value, 0.0);
  EXPECT_EQ(lost[0].depths[0].survival.value, 0.0);
  EXPECT_FALSE(lost[0].depths[0].acceptance.interval);
  EXPECT_EQ(lost[0].tokens_per_round.value, 1.0);
  EXPECT_EQ(none[0].tokens_per_round.value, 1.0);
}

/// Prompts of acceptance 0.2 to 0.5 at each of two depths: 1 + 0.35 + 0.35^2 tokens a round.
TEST(DrafterAcceptance, IntervalsOfTokensARoundCoverThem) {
  constexpr int kDataSets = 500;
  const RngStream random(7);
  Bootstrap bootstrap(1);
  int covered = 0;
  for (std::uint32_t set = 0; set < kDataSets; ++set) {
    std::vector<AcceptanceRow> rows;
    for (std::uint32_t prompt = 0; prompt < 8; ++prompt) {
      const auto rate = [&](std::uint32_t depth) {
        return 0.2 + 0.3 * random.uniform({set, prompt, Purpose::bootstrap, depth});
      };
      const double kept = 40 * rate(1);
      rows.push_back(row("a", std::to_string(prompt), 1, 40, kept));
      rows.push_back(row("a", std::to_string(prompt), 2, kept, kept * rate(2)));
    }
    const Estimate tokens = drafter_acceptance(rows, true, bootstrap)[0].tokens_per_round;
    covered += tokens.interval.value().low <= 1.4725 && 1.4725 <= tokens.interval.value().high;
  }
  EXPECT_NEAR(static_cast<double>(covered) / kDataSets, 0.95, 0.03);
}

}  // namespace
}  // namespace speclab::analysis
