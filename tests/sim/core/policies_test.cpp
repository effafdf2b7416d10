#include "sim/core/policies/policy_registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/core/errors.h"
#include "sim/core/policies/confidence_policy.h"
#include "sim/core/policies/constant_policy.h"
#include "sim/core/policies/heuristic_policy.h"
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
  for (const double wrong : {-0.1, 1.2, std::nan("")}) EXPECT_THROW(ConfidencePolicy{wrong}, ConfigError) << wrong;
  EXPECT_THROW(ConfidencePolicy(0.4, 0), ConfigError);
  EXPECT_THROW(ConfidencePolicy(0.4, 4096), ConfigError);
}

TEST(MakePolicy, KnowsEveryName) {
  EXPECT_EQ(make_policy("none")->next_length(), 0);
  EXPECT_EQ(make_policy("constant:4")->next_length(), 4);
  EXPECT_EQ(make_policy("heuristic")->next_length(), 5);
  EXPECT_EQ(make_policy("confidence")->name(), "confidence:0.4");
  for (const char* name : {"none", "constant:4", "heuristic", "confidence:0.25", "confidence:0.4:8"}) EXPECT_EQ(make_policy(name)->name(), name);
  EXPECT_EQ(make_policy("confidence:0.4:8")->next_length(), 8);
  EXPECT_EQ(make_policy("confidence:0.3:20")->name(), "confidence:0.3") << "as if it were not given";
  const ConstantPolicy stand_in(3);
  EXPECT_EQ(make_policy("auto", &stand_in)->next_length(), 3);
}

TEST(MakePolicy, RefusesTheRestAndListsWhatIsAllowed) {
  for (const char* text : {"", "constant", "constant:", "constant:-1", "constant:4096", "constant:4x", "constant:99999999999", "Auto", "greedy", "confidence:", "confidence:1.5", "confidence:-1", "confidence:nan", "confidence:0.4x", "confidence:0.4:", "confidence:0.4:0", "confidence:0.4:4096", "confidence:0.4:8x", "confidence:0.4:8:8", "confidence::8"})
    EXPECT_THROW(make_policy(text), ConfigError) << text;
  try {
    make_policy("adaptive");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    for (const char* allowed : {"adaptive", "none", "constant:N", "heuristic", "confidence:P", "auto"})
      EXPECT_NE(std::string(error.what()).find(allowed), std::string::npos) << allowed;
  }
  EXPECT_THROW(make_policy("auto"), ConfigError);
}

}  // namespace
}  // namespace speclab
