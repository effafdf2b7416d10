#include "sim/policies/policy_registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/analytic/speedup.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"
#include "tests/support/golden_table.h"
#include "tests/support/sim_values.h"

namespace speclab {
namespace {

using speclab::testing::round_of;

TEST(HeuristicPolicy, FollowsThePublishedSchedule) {
  HeuristicPolicy policy;
  for (const auto& example : testing::read_formula_examples()) {
    if (!example.formula.starts_with("heuristic_speculation_length[")) continue;
    const std::size_t round = std::stoul(example.formula.substr(example.formula.find('[') + 1));
    EXPECT_EQ(policy.next_length(), static_cast<int>(example.value)) << example.formula;
    const auto matches = example.list("matches");  // tokens that would match, whatever the length
    if (round == matches.size()) continue;
    const int length = policy.next_length();
    policy.observe(round_of(length, std::min(length, static_cast<int>(matches[round]))));
  }
  EXPECT_EQ(policy.next_length(), 8);
}

TEST(HeuristicPolicy, NeverFallsBelowOneAndIgnoresRoundsWithoutADraft) {
  HeuristicPolicy policy;
  for (int i = 0; i < 20; ++i) policy.observe(round_of(policy.next_length(), 0));
  EXPECT_EQ(policy.next_length(), 1);
  policy.observe(round_of(0, 0));
  EXPECT_EQ(policy.next_length(), 1);
  policy.observe(round_of(1, 1));
  EXPECT_EQ(policy.next_length(), 3);
  EXPECT_EQ(policy.fresh()->next_length(), 5);
}

TEST(ConfidencePolicy, AsksForTheLongestDraftAndStopsBelowItsThreshold) {
  ConfidencePolicy policy;
  EXPECT_EQ(policy.next_length(), 20);
  EXPECT_EQ(policy.stop_below(), 0.4);
  policy.observe(round_of(20, 0));
  EXPECT_EQ(policy.next_length(), 20);
  const auto other = ConfidencePolicy(0.75, 6).fresh();
  EXPECT_EQ(other->next_length(), 6);
  EXPECT_EQ(other->stop_below(), 0.75);
  EXPECT_EQ(HeuristicPolicy().stop_below(), 0.0);
}

TEST(ConfidencePolicy, RefusesWhatIsOutOfRange) {
  for (const double wrong : {-0.1, 1.2, std::nan("")})
    EXPECT_THROW(ConfidencePolicy{wrong}, ConfigError) << wrong;
  EXPECT_THROW(ConfidencePolicy(0.4, 0), ConfigError);
  EXPECT_THROW(ConfidencePolicy(0.4, 4096), ConfigError);
}

/// @param verdicts  accepted tokens of rounds as long as the policy asks
std::vector<int> lengths_after(TrackingPolicy policy, const std::vector<int>& verdicts) {
  std::vector<int> lengths{policy.next_length()};
  for (const int accepted : verdicts) {
    policy.observe(round_of(policy.next_length(), std::min(accepted, policy.next_length())));
    lengths.push_back(policy.next_length());
  }
  return lengths;
}

TEST(TrackingPolicy, BelievesTheShareOfTestedLevelsBesideEightAtOneHalf) {
  TrackingPolicy policy;
  EXPECT_EQ(policy.acceptance_rate(), 0.5);
  policy.observe(round_of(3, 3));
  EXPECT_DOUBLE_EQ(policy.acceptance_rate(), (4.0 + 3) / (8 + 3));
  policy.observe(round_of(4, 1));
  EXPECT_DOUBLE_EQ(policy.acceptance_rate(), (4.0 + 0.95 * 3 + 1) / (8 + 0.95 * 3 + 2))
      << "two of four were tested";
  policy.observe(round_of(0, 0));
  EXPECT_DOUBLE_EQ(policy.acceptance_rate(), (4.0 + 0.95 * 3 + 1) / (8 + 0.95 * 3 + 2))
      << "nothing was drafted";
  EXPECT_EQ(TrackingPolicy(policy).fresh()->next_length(), TrackingPolicy().next_length())
      << "of another sequence nothing is known";
}

TEST(TrackingPolicy, AsksForMoreAfterAcceptanceAndForLessAfterRejection) {
  EXPECT_EQ(lengths_after(TrackingPolicy(), {20, 20, 20, 20}), (std::vector<int>{3, 5, 6, 8, 10}));
  EXPECT_EQ(lengths_after(TrackingPolicy(), {0, 0, 0, 0, 0, 0}),
            (std::vector<int>{3, 3, 2, 2, 2, 2, 2}));
  EXPECT_EQ(lengths_after(TrackingPolicy(0.4), {0, 0}), (std::vector<int>{1, 1, 1}))
      << "never nothing: it could not learn";
  EXPECT_EQ(lengths_after(TrackingPolicy(0.0, 9), {0, 0}), (std::vector<int>{9, 9, 9}))
      << "drafts that cost nothing";
}

TEST(TrackingPolicy, TakesTheLengthOfTheClosedForm) {
  for (const double cost_ratio : {0.0, 0.01, 0.05, 0.2, 0.7, 1.0})
    for (int rounds = 0; rounds < 30; ++rounds)
      for (const bool accepts : {true, false}) {
        TrackingPolicy policy(cost_ratio, 12);
        for (int i = 0; i < rounds; ++i) policy.observe(round_of(4, accepts ? 4 : i % 2));
        EXPECT_EQ(policy.next_length(), std::max(1, sim::optimal_speculation_length(
                                                        policy.acceptance_rate(), cost_ratio, 12)))
            << cost_ratio << ", " << policy.acceptance_rate();
      }
}

TEST(TrackingPolicy, RefusesWhatIsOutOfRange) {
  for (const double wrong : {-0.1, 1.2, std::nan("")})
    EXPECT_THROW(TrackingPolicy{wrong}, ConfigError) << wrong;
  for (const int wrong : {0, 4096}) EXPECT_THROW(TrackingPolicy(0.1, wrong), ConfigError) << wrong;
}

TEST(Policies, SayTheirLongestLengthWhereItIsKnown) {
  EXPECT_EQ(ConstantPolicy(7).longest(), 7);
  EXPECT_EQ(ConfidencePolicy().longest(), 20);
  EXPECT_EQ(TrackingPolicy(0.1, 6).longest(), 6);
  EXPECT_EQ(HeuristicPolicy().longest(), std::nullopt);
}

TEST(Policies, ThatCountNodesAreThoseThatReckonWithNoLevels) {
  for (const char* name : {"none", "constant:4", "heuristic"})
    EXPECT_TRUE(can_count_nodes(name)) << name;
  for (const char* name : {"auto", "confidence", "confidence:0.4", "tracking", "tracking:0.1"})
    EXPECT_FALSE(can_count_nodes(name)) << name;
}

TEST(MakePolicy, KnowsEveryName) {
  EXPECT_EQ(make_policy("none")->next_length(), 0);
  EXPECT_EQ(make_policy("constant:4")->next_length(), 4);
  EXPECT_EQ(make_policy("heuristic")->next_length(), 5);
  EXPECT_EQ(make_policy("confidence")->name(), "confidence:0.4");
  for (const char* name : {"none", "constant:4", "heuristic", "confidence:0.25", "confidence:0.4:8",
                           "tracking:0.05", "tracking:0.1:8"})
    EXPECT_EQ(make_policy(name)->name(), name);
  EXPECT_EQ(make_policy("confidence:0.4:8")->next_length(), 8);
  EXPECT_EQ(make_policy("confidence:0.3:20")->name(), "confidence:0.3")
      << "as if it were not given";
  EXPECT_EQ(make_policy("tracking")->name(), "tracking:0.05");
  EXPECT_EQ(make_policy("tracking:0.3:20")->name(), "tracking:0.3");
  const ConstantPolicy stand_in(3);
  EXPECT_EQ(make_policy("auto", &stand_in)->next_length(), 3);
}

TEST(MakePolicy, RefusesTheRestAndListsWhatIsAllowed) {
  for (const char* text : {"",
                           "constant",
                           "constant:",
                           "constant:-1",
                           "constant:4096",
                           "constant:4x",
                           "constant:99999999999",
                           "Auto",
                           "greedy",
                           "confidence:",
                           "confidence:1.5",
                           "confidence:-1",
                           "confidence:nan",
                           "confidence:0.4x",
                           "confidence:0.4:",
                           "confidence:0.4:0",
                           "confidence:0.4:4096",
                           "confidence:0.4:8x",
                           "confidence:0.4:8:8",
                           "confidence::8",
                           "tracking:",
                           "tracking:2",
                           "tracking:nan",
                           "tracking:0.1:",
                           "tracking:0.1:0",
                           "tracking:0.1:8x"})
    EXPECT_THROW(make_policy(text), ConfigError) << text;
  try {
    make_policy("adaptive");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    for (const char* allowed :
         {"adaptive", "none", "constant:N", "heuristic", "confidence:P", "tracking:C", "auto"})
      EXPECT_NE(std::string(error.what()).find(allowed), std::string::npos) << allowed;
  }
  EXPECT_THROW(make_policy("auto"), ConfigError);
}

}  // namespace
}  // namespace speclab
