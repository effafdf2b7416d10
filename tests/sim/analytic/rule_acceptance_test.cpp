// The closed forms against the rules themselves, every decision forked.
#include "sim/analytic/rule_acceptance.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/analytic/one_token.h"
#include "tests/support/named_rules.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

/// Calls visit(world, p, q) for laws of every kind.
template <typename Visit>
void visit_worlds(Visit visit) {
  for (const int vocab_size : {2, 3, 5})
    for (const LawKind target_kind : kAllLawKinds)
      for (const LawKind draft_kind : kAllLawKinds)
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
          const SmallWorld world({vocab_size, target_kind, draft_kind, seed});
          visit(world, world.target({}), world.draft({}));
        }
}

/// P(any of the siblings is kept).
double kept(const SmallWorld& world, const char* shape, DrawKind kind, const char* rule) {
  return mean_accepted(world, TreeShape::parse(shape, 0), kind, rule_named<double>(rule));
}

constexpr auto kSampled = DrawKind::sampled;
constexpr auto kWithout = DrawKind::sampled_without_replacement;

TEST(RuleAcceptance, OfOneDraftIsTheRules) {
  visit_worlds([](const SmallWorld& world, const auto& p, const auto& q) {
    EXPECT_NEAR(match_acceptance(p, q), kept(world, "1", kSampled, "sample_and_match"), 1e-12);
    EXPECT_NEAR(point_mass_acceptance(p, q), kept(world, "1", DrawKind::arg_max, "point_mass"), 1e-12);
    EXPECT_NEAR(lenient_acceptance(p, q, 0.8), kept(world, "1", kSampled, "lenient"), 1e-12);
    EXPECT_NEAR(typical_acceptance(p, q, 0.09, 0.3), kept(world, "1", kSampled, "typical"), 1e-12);
    EXPECT_NEAR(multi_round_acceptance(p, q, 1), acceptance_probability(p, q), 1e-12);
    EXPECT_NEAR(several_drafts_acceptance(p, q, 1), acceptance_probability(p, q), 1e-12);
  });
}

TEST(RuleAcceptance, OfSiblingsIsTheRules) {
  visit_worlds([](const SmallWorld& world, const auto& p, const auto& q) {
    if (*std::ranges::max_element(q) > 1.0 - 1e-15) return;  // what is left of q is below the rounding of 1 - q
    EXPECT_NEAR(multi_round_acceptance(p, q, 2), kept(world, "parents:0,0", kSampled, "tree_multi_round"), 1e-12);
    EXPECT_NEAR(multi_round_acceptance(p, q, 3), kept(world, "parents:0,0,0", kSampled, "tree_multi_round"), 1e-12);
    EXPECT_NEAR(two_without_replacement_acceptance(p, q), kept(world, "parents:0,0", kWithout, "tree_without_replacement"), 1e-12);
    EXPECT_NEAR(two_naive_acceptance(p, q), kept(world, "parents:0,0", kWithout, "tree_naive"), 1e-12);
    EXPECT_NEAR(several_drafts_acceptance(p, q, 2), kept(world, "parents:0,0", kSampled, "several_drafts"), 1e-8) << "a root to 1e-9";
  });
}

/// For every pair: a match keeps at most what the ratio test keeps, lenience and further siblings at least that, and drawing
/// without replacement at least what independent drafts do.
TEST(RuleAcceptance, IsOrderedAsTheorySays) {
  visit_worlds([](const SmallWorld&, const auto& p, const auto& q) {
    const double ratio = acceptance_probability(p, q), multi_round = multi_round_acceptance(p, q, 2);
    EXPECT_LE(match_acceptance(p, q), ratio + 1e-12);
    EXPECT_GE(lenient_acceptance(p, q, 0.8), ratio - 1e-12);
    EXPECT_GE(multi_round, ratio - 1e-12);
    EXPECT_GE(two_without_replacement_acceptance(p, q), multi_round - 1e-12);
    EXPECT_GE(two_naive_acceptance(p, q), match_acceptance(p, q) - 1e-12);
    EXPECT_GE(several_drafts_acceptance(p, q, 2), ratio - 1e-9);
  });
}

}  // namespace
}  // namespace speclab::sim
