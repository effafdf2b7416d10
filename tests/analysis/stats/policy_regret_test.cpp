// Two prompts whose rounds are known: what each policy costs on the surface can be added up by
// hand.
#include "analysis/stats/policy_regret.h"

#include <gtest/gtest.h>

namespace speclab::analysis {
namespace {

constexpr double kRowNs = 100, kRegretDraftNs = 300,
                 kRegretOverheadNs = 10;  ///< a forward of n rows takes 900 + 100 n

CostRow cost(sim::CostKind kind, const std::string& drafter, int rows, double ns) {
  const bool is_target = kind == sim::CostKind::target || kind == sim::CostKind::prefill;
  return {.setting = {.model = "m",
                      .drafter = drafter,
                      .tree = drafter.empty() ? "" : "chain",
                      .verifier = drafter.empty() ? "" : "rejection"},
          .regime = is_target ? std::nullopt : std::optional(Regime::greedy),
          .kind = kind,
          .rows = rows,
          .context = 0,
          .ns = {.value = ns, .interval = {}, .n = 6}};
}

std::vector<CostRow> regret_costs() {
  std::vector<CostRow> rows{cost(sim::CostKind::prefill, "", 1, 5000),
                            cost(sim::CostKind::overhead, "", 1, kRegretOverheadNs),
                            cost(sim::CostKind::overhead, "bigram", 1, kRegretOverheadNs)};
  for (int n = 1; n <= 5; ++n) rows.push_back(cost(sim::CostKind::target, "", n, 900 + kRowNs * n));
  for (int n = 1; n <= 4; ++n)
    rows.push_back(cost(sim::CostKind::draft, "bigram", n, kRegretDraftNs * n));
  return rows;
}

double forward_ns(int rows) { return 900 + kRowNs * rows + kRegretOverheadNs; }
double round_ns(int drafted) { return forward_ns(drafted + 1) + kRegretDraftNs * drafted; }

class PolicyRegretTest : public ::testing::Test {
 protected:
  struct Drafted {
    int length, accepted;
  };

  /// A generation of these rounds; measured it takes a tenth longer.
  void add(const std::string& policy, const std::string& prompt,
           const std::vector<Drafted>& rounds) {
    Generation g;
    g.row_id = static_cast<std::int64_t>(run_.generations.size());
    g.cell_id = policy, g.prompt_id = prompt, g.category = "chat";
    g.axes =
        policy.empty()
            ? Setting{.model = "m", .drafter = "none", .tree = "", .policy = "", .verifier = ""}
            : Setting{.model = "m",
                      .drafter = "bigram",
                      .tree = "chain",
                      .policy = policy,
                      .verifier = "rejection"};
    g.first_round = run_.rounds.size();
    double ns = 0;
    for (const Drafted& round : rounds) {
      g.output_tokens += round.accepted + 1;
      ns += round_ns(round.length);
      if (!policy.empty())
        run_.rounds.push_back({.row_id = g.row_id,
                               .position = 9,
                               .rows = round.length + 1,
                               .depth = round.length,
                               .accepted = round.accepted,
                               .emitted = round.accepted + 1});
    }
    g.rounds = std::ssize(rounds);
    g.decode_ns = static_cast<std::int64_t>(1.1 * ns);
    run_.generations.push_back(g);
  }

  void add_plain(const std::string& prompt, int tokens) {
    add("", prompt, std::vector<Drafted>(static_cast<std::size_t>(tokens), {0, 0}));
  }

  const std::vector<PolicyComparison>& compare() {
    groups_ = pooled_groups(run_, Baseline(run_), bootstrap_);
    comparisons_ = policy_comparisons(run_, groups_, regret_costs(), bootstrap_);
    return comparisons_;
  }

  analysis::Run run_;
  std::vector<Group> groups_;
  std::vector<PolicyComparison> comparisons_;
  Bootstrap bootstrap_{1};
};

TEST_F(PolicyRegretTest, IsTheTimeOverTheBestStaticLengthAndOverWhatWasKept) {
  for (const char* prompt : {"a", "b"}) {
    add_plain(prompt, 6);
    add("constant:1", prompt, {{1, 1}, {1, 1}, {1, 0}, {1, 0}});
    add("constant:4", prompt, {{4, 3}, {4, 1}});
    add("heuristic", prompt, {{3, 3}, {2, 1}});
  }
  ASSERT_EQ(compare().size(), 1U);
  const PolicyComparison& comparison = comparisons_.front();
  EXPECT_EQ(comparison.longest_static->axes.policy, "constant:4");
  EXPECT_EQ(comparison.best_static->axes.policy, "constant:4");
  ASSERT_EQ(comparison.regrets.size(), 4U);
  const double best = 2 * round_ns(4), bound = round_ns(3) + round_ns(1),
               heuristic = round_ns(3) + round_ns(2);
  const Regret& own = comparison.regrets[3];
  EXPECT_EQ(own.group->axes.policy, "heuristic");
  EXPECT_NEAR(own.ns_per_token, heuristic / 6, 1e-9);
  EXPECT_NEAR(own.to_static.value, heuristic / best - 1, 1e-9);
  EXPECT_NEAR(own.to_clairvoyant.value, heuristic / bound - 1, 1e-9);
  EXPECT_NEAR(own.measured_to_static.value, heuristic / best - 1, 1e-3);
  EXPECT_NEAR(comparison.clairvoyant_ns_per_token, bound / 6, 1e-9);
  EXPECT_NEAR(comparison.regrets[0].to_static.value, 6 * round_ns(0) / best - 1, 1e-9)
      << "plain decoding";
  EXPECT_EQ(comparison.regrets[2].to_static.value, 0.0) << "the best static length itself";
}

/// A run that was stopped, texts that ended sooner: what is compared is the time of a token, over
/// the prompts that all have.
TEST_F(PolicyRegretTest, IsOfATokenOverTheSharedPrompts) {
  for (const char* prompt : {"a", "b", "c"}) {
    add_plain(prompt, 4);
    add("constant:4", prompt, {{4, 3}});
  }
  add("constant:2", "a", {{2, 1}, {2, 1}});
  add("constant:2", "b", {{2, 0}});
  const PolicyComparison& comparison = compare().at(0);
  EXPECT_EQ(comparison.num_prompts, 2U);
  EXPECT_EQ(comparison.best_static->axes.policy, "constant:4");
  const Regret& two = comparison.regrets[2];
  EXPECT_NEAR(two.ns_per_token, 3 * round_ns(2) / 5, 1e-9);
  EXPECT_NEAR(two.to_static.value, (3 * round_ns(2) / 5) / (round_ns(4) / 4) - 1, 1e-9);
  EXPECT_NEAR(two.to_clairvoyant.value, (3 * round_ns(2) / 5) / (round_ns(3) / 4) - 1, 1e-9);
  ASSERT_TRUE(two.to_static.interval);
  EXPECT_LT(two.to_static.interval->low, two.to_static.value);
}

TEST_F(PolicyRegretTest, OfPoliciesWithoutASharedPromptIsNotKnown) {
  add("constant:2", "a", {{2, 1}});
  add("constant:4", "b", {{4, 1}});
  EXPECT_TRUE(compare().empty());
}

/// Where drafts are dear and little is kept.
TEST_F(PolicyRegretTest, NoDraftingMayBeTheBestStaticLengthAndTheBoundDraftsNothingThatDoesNotPay) {
  for (const char* prompt : {"a", "b"}) {
    add_plain(prompt, 3);
    add("constant:2", prompt, {{2, 0}, {2, 0}, {2, 0}});
    add("constant:4", prompt, {{4, 0}, {4, 1}});
  }
  const PolicyComparison& comparison = compare().at(0);
  EXPECT_TRUE(comparison.best_static->axes.is_plain());
  EXPECT_NEAR(comparison.clairvoyant_ns_per_token,
              (round_ns(0) + std::min(round_ns(1), 2 * round_ns(0))) / 3, 1e-9);
  for (const Regret& regret : comparison.regrets) EXPECT_GE(regret.to_clairvoyant.value, 0.0);
}

TEST_F(PolicyRegretTest, TakesTheTokensThatAStopRuleLeft) {
  for (const char* prompt : {"a", "b"}) {
    add_plain(prompt, 3);
    add("constant:2", prompt, {{2, 2}});
    add("constant:4", prompt, {{4, 4}});
  }
  for (Round& round : run_.rounds)
    if (round.depth == 4) round.emitted = 3;
  for (Generation& g : run_.generations) g.output_tokens = 3;
  EXPECT_NEAR(compare().at(0).clairvoyant_ns_per_token * 3, round_ns(2), 1e-9)
      << "two drafts were enough";
}

TEST_F(PolicyRegretTest, NeedsTwoPoliciesOneOfThemStaticAndCosts) {
  add_plain("a", 3);
  add("heuristic", "a", {{2, 2}});
  EXPECT_TRUE(compare().empty());
  add("auto", "a", {{2, 2}});
  EXPECT_TRUE(compare().empty());
  add("constant:2", "a", {{2, 2}});
  EXPECT_EQ(compare().size(), 1U);
  EXPECT_TRUE(policy_comparisons(run_, groups_, {}, bootstrap_).empty());
}

}  // namespace
}  // namespace speclab::analysis
