// The closed forms against the rules themselves, every decision forked.

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/analytic/block_verification.h"
#include "sim/analytic/candidates.h"
#include "sim/analytic/one_token.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/rules/acceptance.h"
#include "sim/system/errors.h"
#include "tests/support/named_rules.h"
#include "tests/support/refused_values.h"

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
    EXPECT_NEAR(sample_match_acceptance_rate(p, q), kept(world, "1", kSampled, "sample_and_match"),
                1e-12);
    EXPECT_NEAR(point_mass_acceptance_rate(p, q), kept(world, "1", DrawKind::arg_max, "point_mass"),
                1e-12);
    EXPECT_NEAR(lenient_acceptance_rate(p, q, 0.8), kept(world, "1", kSampled, "lenient"), 1e-12);
    EXPECT_NEAR(typical_acceptance(p, q, 0.09, 0.3), kept(world, "1", kSampled, "typical"), 1e-12);
    EXPECT_NEAR(multi_step_acceptance(p, q, 1), acceptance_probability(p, q), 1e-12);
    EXPECT_NEAR(spectr_acceptance(p, q, 1), acceptance_probability(p, q), 1e-12);
  });
}

TEST(RuleAcceptance, OfSiblingsIsTheRules) {
  visit_worlds([](const SmallWorld& world, const auto& p, const auto& q) {
    if (*std::ranges::max_element(q) > 1.0 - 1e-15)
      return;  // what is left of q is below the rounding of 1 - q
    EXPECT_NEAR(multi_step_acceptance(p, q, 2),
                kept(world, "parents:0,0", kSampled, "tree_multi_round"), 1e-12);
    EXPECT_NEAR(multi_step_acceptance(p, q, 3),
                kept(world, "parents:0,0,0", kSampled, "tree_multi_round"), 1e-12);
    EXPECT_NEAR(two_without_replacement_acceptance(p, q),
                kept(world, "parents:0,0", kWithout, "tree_without_replacement"), 1e-12);
    EXPECT_NEAR(two_naive_acceptance(p, q), kept(world, "parents:0,0", kWithout, "tree_naive"),
                1e-12);
    EXPECT_NEAR(spectr_acceptance(p, q, 2), kept(world, "parents:0,0", kSampled, "several_drafts"),
                1e-8)
        << "a root to 1e-9";
  });
}

/// Total variation of the first token that a round emits from the target's law, all decisions
/// forked.
double forked_distance(const SmallWorld& world, const Rule<double>& rule) {
  std::map<Tokens, double> target;
  const std::vector<double> p = world.target({});
  for (std::size_t token = 0; token < p.size(); ++token)
    target[{static_cast<Token>(token)}] = p[token];
  return total_variation(
      emitted_law<double>(world, {}, 1, TreeShape::parse("1", 0), kSampled, rule), target);
}

TEST(LawDistance, OfLossyRulesIsWhatTheyEmit) {
  const Rule<double> lenient_residual = [](const auto& draft, const auto& laws, const RoundKey& key,
                                           Chance& chance, Verdict& verdict) {
    std::vector<double> scratch;
    verify_lenient(draft, laws, key, chance, scratch, verdict, 0.8, LenientResidual::lenient);
  };
  double largest = 0.0;
  visit_worlds([&](const SmallWorld& world, const auto& p, const auto& q) {
    const double lenient = lenient_distance(p, q, 0.8, LenientResidual::full);
    EXPECT_NEAR(lenient, forked_distance(world, rule_named<double>("lenient")), 1e-12);
    EXPECT_NEAR(lenient_distance(p, q, 0.8, LenientResidual::lenient),
                forked_distance(world, lenient_residual), 1e-12);
    EXPECT_NEAR(typical_distance(p, q, 0.09, 0.3),
                forked_distance(world, rule_named<double>("typical")), 1e-12);
    EXPECT_NEAR(lenient_distance(p, q, 1.0, LenientResidual::full), 0.0, 1e-12);
    largest = std::max(largest, lenient);
  });
  EXPECT_GT(largest, 0.05);
}

/// Laws of the accepted length of a chain, its tokens drawn from q: means of what holds for each
/// chain of tokens.
TEST(AcceptedLengths, OfTheRatioTestAndOfBlocksAreTheRules) {
  visit_worlds([](const SmallWorld& world, const auto& p, const auto& q) {
    double ratio = 0.0, block = 0.0;
    for (std::size_t x = 0; x < q.size(); ++x) {
      if (q[x] == 0.0) continue;
      const Tokens prefix{static_cast<Token>(x)};
      const std::vector<double> p2 = world.target(prefix), q2 = world.draft(prefix);
      for (std::size_t y = 0; y < q2.size(); ++y) {
        if (q2[y] == 0.0) continue;
        const Tokens tokens{static_cast<Token>(x), static_cast<Token>(y)};
        const double stands[] = {std::min(1.0, p[x] / q[x]), std::min(1.0, p2[y] / q2[y])};
        const auto mean = [&](const std::vector<double>& law) {
          return q[x] * q2[y] * (law[1] + 2.0 * law[2]);
        };
        ratio += mean(tokens_per_round_pmf(stands));
        block += mean(block_length_law(std::vector{p, p2}, std::vector{q, q2}, tokens));
      }
    }
    EXPECT_NEAR(ratio, kept(world, "2", kSampled, "rejection"), 1e-12);
    EXPECT_NEAR(block, kept(world, "2", kSampled, "block"), 1e-12);
  });
}

/// For every pair: a match keeps at most what the ratio test keeps, lenience and further siblings
/// at least that, and drawing without replacement at least what independent drafts do.
TEST(RuleAcceptance, IsOrderedAsTheorySays) {
  visit_worlds([](const SmallWorld&, const auto& p, const auto& q) {
    const double ratio = acceptance_probability(p, q), multi_round = multi_step_acceptance(p, q, 2);
    EXPECT_LE(sample_match_acceptance_rate(p, q), ratio + 1e-12);
    EXPECT_GE(lenient_acceptance_rate(p, q, 0.8), ratio - 1e-12);
    EXPECT_GE(multi_round, ratio - 1e-12);
    EXPECT_GE(two_without_replacement_acceptance(p, q), multi_round - 1e-12);
    EXPECT_GE(two_naive_acceptance(p, q), sample_match_acceptance_rate(p, q) - 1e-12);
    EXPECT_GE(spectr_acceptance(p, q, 2), ratio - 1e-9);
  });
}

TEST(RuleAcceptance, RefusesArgumentsOutOfRange) {
  const std::vector<double> law{0.5, 0.5};
  expect_pairs_refused([](const auto& p, const auto& q) { typical_acceptance(p, q, 0.09, 0.3); });
  expect_pairs_refused([](const auto& p, const auto& q) { typical_distance(p, q, 0.09, 0.3); });
  expect_pairs_refused(
      [](const auto& p, const auto& q) { two_without_replacement_acceptance(p, q); });
  expect_pairs_refused([](const auto& p, const auto& q) { two_naive_acceptance(p, q); });
  expect_refused([](const auto& p) { typical_threshold(p, 0.09, 0.3); }, kNoLaw);
  expect_refused([&](double epsilon) { typical_threshold(law, epsilon, 0.3); }, kNoProbability);
  expect_refused([&](double delta) { typical_threshold(law, 0.09, delta); }, kNegative);
  EXPECT_THROW(lossy_distance("rejection", law, law, {}), ContractError);
}

}  // namespace
}  // namespace speclab::sim
