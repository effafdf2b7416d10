#include "experiments/drivers/kinds/draft_sums.h"

#include <gtest/gtest.h>

#include "sim/core/forking_chance.h"
#include "sim/rules/rejection.h"

namespace speclab::experiments {
namespace {

const std::vector<std::vector<float>> kTargets{{0.1F, 0.4F, 0.3F, 0.2F},
                                               {0.7F, 0.1F, 0.1F, 0.1F},
                                               {0.25F, 0.25F, 0.25F, 0.25F},
                                               {0.0F, 0.0F, 0.5F, 0.5F}};

/// Of the target, after each node.
std::vector<Law> target_laws(TokenTree::Node nodes) {
  std::vector<Law> laws;
  for (TokenTree::Node node = 0; node < nodes; ++node)
    laws.push_back(Law::dense(kTargets[static_cast<std::size_t>(node) % kTargets.size()]));
  return laws;
}

auto lookup(const std::vector<Law>& laws) {
  return [&laws](TokenTree::Node node) -> const Law& {
    return laws.at(static_cast<std::size_t>(node));
  };
}

/// Three children of the root, two of the first of them, one of the second.
Draft tree(DrawKind kind) {
  Draft draft;
  draft.reset(0, kind);
  const auto add = [&](TokenTree::Node parent, Token token) {
    if (kind == DrawKind::arg_max)
      draft.law_for(parent).assign_point_mass(4, token);
    else
      draft.law_for(parent) = Law::dense({0.4F, 0.3F, 0.2F, 0.1F});
    draft.add(parent, token);
  };
  add(0, 2), add(0, 1), add(0, 0), add(1, 3), add(1, 0), add(2, 2);
  return draft;
}

/// The same by running the rule over every outcome of its coins.
std::vector<double> enumerated(const Draft& draft, const std::vector<Law>& laws) {
  std::vector<double> chances(static_cast<std::size_t>(draft.tree.size()), 0.0);
  ForkingChance chance;
  std::vector<float> scratch;
  Verdict verdict;
  do {
    verify_rejection<float>(draft, lookup(laws), RoundKey{}, chance, scratch, verdict);
    chances[0] += chance.probability();
    for (const TokenTree::Node node : verdict.accepted)
      chances[static_cast<std::size_t>(node)] += chance.probability();
  } while (chance.next_path());
  return chances;
}

class AcceptanceChances : public ::testing::TestWithParam<DrawKind> {};

TEST_P(AcceptanceChances, AreWhatTheRatioTestDoes) {
  const Draft draft = tree(GetParam());
  const std::vector<Law> laws = target_laws(draft.tree.size());
  const std::vector<double> expected = enumerated(draft, laws),
                            chances = acceptance_chances(draft, lookup(laws));
  ASSERT_EQ(chances.size(), expected.size());
  for (std::size_t node = 0; node < chances.size(); ++node)
    EXPECT_NEAR(chances[node], expected[node], 1e-6) << "node " << node;
}

INSTANTIATE_TEST_SUITE_P(OfEveryDraw, AcceptanceChances,
                         ::testing::Values(DrawKind::sampled, DrawKind::sampled_without_replacement,
                                           DrawKind::arg_max));

TEST(SiblingChances, AreSummedByWhereANodeStands) {
  const Draft draft = tree(DrawKind::arg_max);
  const std::vector<Law> laws = target_laws(draft.tree.size());
  SiblingChances sums;
  for (int i = 0; i < 2; ++i) sums.add(draft, lookup(laws));
  EXPECT_EQ(sums.sums().size(), 6U);
  const analysis::SiblingSums second = sums.sums().at({1, 0, 2}),
                              behind_second = sums.sums().at({2, 2, 1});
  EXPECT_EQ(second.drafts, 2);
  EXPECT_DOUBLE_EQ(second.reached, 2.0);
  EXPECT_NEAR(second.accepted, 2 * 0.4, 1e-6);
  EXPECT_NEAR(behind_second.reached, 2 * 0.4, 1e-6);
  EXPECT_NEAR(behind_second.accepted, 2 * 0.4 * 0.25, 1e-6);
}

TEST(SiblingChances, OfAnEmptyDraftAreNone) {
  Draft nothing;
  nothing.reset(0, DrawKind::sampled);
  const std::vector<Law> laws = target_laws(1);
  SiblingChances sums;
  sums.add(nothing, lookup(laws));
  EXPECT_TRUE(sums.sums().empty());
}

}  // namespace
}  // namespace speclab::experiments
