// Exactness of the acceptance rules: every decision of small cases is enumerated and the joint law
// of what is emitted is compared with the target's.
#include "sim/rules/acceptance.h"

#include <gtest/gtest.h>

#include "sim/analytic/one_token.h"
#include "tests/support/named_rules.h"

namespace speclab {
namespace {

using speclab::testing::Tokens;
using namespace speclab::testing;

struct Case {
  const char* shape;
  DrawKind draw_kind;
  std::size_t count;  ///< tokens whose joint law is compared
};

/// Largest error over all pairs of law kinds and the given vocabularies; each law's mass is checked
/// on the way.
double max_error(const Case& example, std::initializer_list<int> vocab_sizes, int seeds) {
  double error = 0.0;
  const TreeShape shape = TreeShape::parse(example.shape, 0);
  for (const int vocab_size : vocab_sizes)
    for (const LawKind target_kind : kAllLawKinds)
      for (const LawKind draft_kind : kAllLawKinds)
        for (int seed = 0; seed < seeds; ++seed) {
          const SmallWorld world(
              {vocab_size, target_kind, draft_kind, static_cast<std::uint64_t>(seed)});
          const auto law = emitted_law(world, {}, example.count, shape, example.draw_kind,
                                       rule_named<double>("rejection"));
          EXPECT_NEAR(total_mass(law), 1.0, 1e-12);
          error = std::max(error, max_difference(law, world.target_joint_law({}, example.count)));
        }
  return error;
}

class RejectionOnChains : public ::testing::TestWithParam<Case> {};
TEST_P(RejectionOnChains, EmitsTheTargetsJointLaw) {
  EXPECT_LE(max_error(GetParam(), {2, 3, 4}, 3), 1e-12);
}
INSTANTIATE_TEST_SUITE_P(
    Lengths, RejectionOnChains,
    ::testing::Values(Case{"chain", DrawKind::sampled, 2}, Case{"1", DrawKind::sampled, 3},
                      Case{"2", DrawKind::sampled, 3}, Case{"1", DrawKind::arg_max, 3},
                      Case{"2", DrawKind::arg_max, 3}, Case{"3", DrawKind::arg_max, 4}));

class RejectionOnLongChains : public ::testing::TestWithParam<Case> {};
TEST_P(RejectionOnLongChains, EmitsTheTargetsJointLaw) {
  EXPECT_LE(max_error(GetParam(), {2, 3}, 2), 1e-12);
}
INSTANTIATE_TEST_SUITE_P(Lengths, RejectionOnLongChains,
                         ::testing::Values(Case{"3", DrawKind::sampled, 4}));

class RejectionOnWideVocabularies : public ::testing::TestWithParam<Case> {};
TEST_P(RejectionOnWideVocabularies, EmitsTheTargetsJointLaw) {
  EXPECT_LE(max_error(GetParam(), {5}, 3), 1e-12);
}
INSTANTIATE_TEST_SUITE_P(
    Lengths, RejectionOnWideVocabularies,
    ::testing::Values(Case{"1", DrawKind::sampled, 2}, Case{"2", DrawKind::sampled, 2},
                      Case{"3x1", DrawKind::arg_max, 2},
                      Case{"parents:0,0,0", DrawKind::sampled_without_replacement, 1}));

class RejectionOnTrees : public ::testing::TestWithParam<Case> {};
TEST_P(RejectionOnTrees, EmitsTheTargetsJointLaw) {
  EXPECT_LE(max_error(GetParam(), {2, 3}, 2), 1e-12);
}
INSTANTIATE_TEST_SUITE_P(
    Shapes, RejectionOnTrees,
    ::testing::Values(Case{"2x2", DrawKind::sampled_without_replacement, 3},
                      Case{"3x1", DrawKind::sampled_without_replacement, 3},
                      Case{"parents:0,0,1", DrawKind::sampled_without_replacement, 3},
                      Case{"parents:0,0,2", DrawKind::sampled_without_replacement, 3},
                      Case{"parents:0,1,1", DrawKind::sampled_without_replacement, 3},
                      Case{"parents:0,0,1,2,2", DrawKind::sampled_without_replacement, 2},
                      Case{"2x2", DrawKind::arg_max, 3}, Case{"3x1", DrawKind::arg_max, 3}));

/// Enumerates one round with `count` independent draws below the root and hands each verdict with
/// its weight to `visit`.
template <typename Visit>
void for_each_verdict(const SmallWorld& world, int count, Visit visit) {
  const BasicLaw<double> target = law_of<double>(world.target({}));
  const TargetLaws<double> laws = [&](TokenTree::Node) -> const BasicLaw<double>& {
    return target;
  };
  ForkingChance chance;
  std::vector<double> scratch;
  Verdict verdict;
  do {
    BasicDraft<double> draft;
    draft.reset(0, DrawKind::sampled);
    draft.law_for(0) = law_of<double>(world.draft({}));
    for (TokenTree::Node child = 1; child <= count; ++child)
      draft.add(0, sample(draft.law_at(0), draft_key({}, 0, child), chance, scratch));
    verify_rejection(draft, laws, {}, chance, scratch, verdict);
    visit(draft, verdict, chance.probability());
  } while (chance.next_path());
}

TEST(Rejection, EmitsTheTargetsLawForDrawsWithReplacement) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SmallWorld world({3, LawKind::random, LawKind::random, seed});
    std::map<Tokens, double> law;
    for_each_verdict(world, 2, [&](const auto& draft, const Verdict& verdict, double probability) {
      law[{verdict.accepted.empty() ? verdict.next : draft.tree[verdict.accepted[0]].token}] +=
          probability;
    });
    EXPECT_LE(max_difference(law, world.target_joint_law({}, 1)), 1e-12);
  }
}

TEST(Rejection, AcceptsWithOneMinusTheTotalVariation) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const SmallWorld world({4, LawKind::with_zeros, LawKind::random, seed});
    double accepted = 0.0;
    for_each_verdict(world, 1, [&](const auto&, const Verdict& verdict, double probability) {
      accepted += verdict.accepted.empty() ? 0.0 : probability;
    });
    EXPECT_NEAR(accepted, 1.0 - sim::lk_divergence(world.target({}), world.draft({})), 1e-12);
  }
}

/// The target's arg max after `prefix`.
Token arg_max_after(const SmallWorld& world, const Tokens& prefix) {
  return law_of<double>(world.target(prefix)).arg_max();
}

TEST(Greedy, EmitsTheTargetsArgMaxPathWhateverIsDrafted) {
  const Rule<double> greedy = [](const auto& draft, const auto& laws, const RoundKey&, auto&,
                                 Verdict& verdict) { verify_greedy(draft, laws, verdict); };
  for (const char* shape : {"chain", "1", "3", "2x2", "parents:0,0,1,2,2"})
    for (const LawKind kind : kAllLawKinds)
      for (int seed = 0; seed < 10; ++seed) {
        const SmallWorld world({3, kind, LawKind::random, static_cast<std::uint64_t>(seed)});
        Tokens path;
        while (path.size() < 4) path.push_back(arg_max_after(world, path));
        const auto law = emitted_law(world, {}, 4, TreeShape::parse(shape, 0),
                                     DrawKind::sampled_without_replacement, greedy);
        ASSERT_EQ(law.size(), 1U);
        EXPECT_EQ(law.begin()->first, path);
        EXPECT_NEAR(law.begin()->second, 1.0, 1e-12);
      }
}

}  // namespace
}  // namespace speclab
