// Exactness of the rules beside the ratio test: the joint law of what they emit, enumerated, and
// how far the lossy ones are off.
#include "sim/rules/acceptance.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/named_rules.h"

namespace speclab {
namespace {

using speclab::testing::Tokens;
using namespace speclab::testing;

struct RuleCase {
  const char* verifier;
  const char* shape;
  DrawKind draw_kind;
  std::size_t count;  ///< tokens whose joint law is compared
};

void PrintTo(const RuleCase& example, std::ostream* out) {
  *out << example.verifier << " " << example.shape;
}

class LosslessRule : public ::testing::TestWithParam<RuleCase> {};

TEST_P(LosslessRule, EmitsTheTargetsJointLaw) {
  const RuleCase& example = GetParam();
  const TreeShape shape = TreeShape::parse(example.shape, 0);
  for (const int vocab_size : {2, 3})
    for (const LawKind target_kind : kAllLawKinds)
      for (const LawKind draft_kind : kAllLawKinds)
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
          const SmallWorld world({vocab_size, target_kind, draft_kind, seed});
          const auto law = emitted_law(world, {}, example.count, shape, example.draw_kind,
                                       rule_named<double>(example.verifier));
          EXPECT_NEAR(total_mass(law), 1.0, 1e-12);
          ASSERT_LE(max_difference(law, world.target_joint_law({}, example.count)), 1e-12)
              << "vocabulary " << vocab_size << ", laws " << static_cast<int>(target_kind) << " "
              << static_cast<int>(draft_kind) << ", seed " << seed;
        }
}

constexpr auto kSampled = DrawKind::sampled;
constexpr auto kWithout = DrawKind::sampled_without_replacement;
constexpr auto kArgMax = DrawKind::arg_max;

INSTANTIATE_TEST_SUITE_P(
    , LosslessRule,
    ::testing::Values(
        RuleCase{"sample_and_match", "chain", kSampled, 2},
        RuleCase{"sample_and_match", "1", kSampled, 3},
        RuleCase{"sample_and_match", "2", kArgMax, 3},
        RuleCase{"sample_and_match", "3", kSampled, 3}, RuleCase{"tree_naive", "2x2", kSampled, 2},
        RuleCase{"tree_naive", "2x2", kWithout, 3},
        RuleCase{"tree_naive", "parents:0,0,1,2", kArgMax, 3},
        RuleCase{"point_mass", "1", kSampled, 3}, RuleCase{"point_mass", "2", kArgMax, 3},
        RuleCase{"point_mass", "3", kSampled, 3}, RuleCase{"point_mass", "2x2", kWithout, 3},
        RuleCase{"point_mass", "parents:0,0,0,1", kSampled, 2},
        RuleCase{"block", "chain", kSampled, 2}, RuleCase{"block", "1", kSampled, 3},
        RuleCase{"block", "2", kSampled, 3}, RuleCase{"block", "2", kSampled, 4},
        RuleCase{"block", "3", kSampled, 4}, RuleCase{"block", "3", kArgMax, 4},
        RuleCase{"tree_multi_round", "parents:0,0", kSampled, 3},
        RuleCase{"tree_multi_round", "parents:0,0,0", kSampled, 2},
        RuleCase{"tree_multi_round", "parents:0,0,1,1", kSampled, 2},
        RuleCase{"tree_multi_round", "parents:0,0,1,2", kSampled, 2},
        RuleCase{"several_drafts", "1", kSampled, 3}, RuleCase{"several_drafts", "2", kSampled, 3},
        RuleCase{"several_drafts", "parents:0,0", kSampled, 3},
        RuleCase{"several_drafts", "parents:0,0,0", kSampled, 2},
        RuleCase{"several_drafts", "parents:0,0,1,2", kSampled, 3},
        RuleCase{"several_drafts", "parents:0,0,1,2", kArgMax, 2}));

/// Largest error of the joint law of two tokens over a few worlds.
double error_of(const Rule<double>& lossy, LawKind draft_kind = LawKind::random) {
  double error = 0.0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const SmallWorld world({4, LawKind::random, draft_kind, seed});
    error = std::max(error, max_difference(emitted_law(world, {}, 2, TreeShape::parse("1", 0),
                                                       DrawKind::sampled, lossy),
                                           world.target_joint_law({}, 2)));
  }
  return error;
}

Rule<double> lenient(double lenience, LenientResidual form) {
  return [=, scratch = std::vector<double>()](const auto& draft, const auto& laws, const auto& key,
                                              Chance& chance, Verdict& verdict) mutable {
    verify_lenient(draft, laws, key, chance, scratch, verdict, lenience, form);
  };
}

Rule<double> typical(double epsilon, double delta) {
  return [=, scratch = std::vector<double>()](const auto& draft, const auto& laws, const auto& key,
                                              Chance& chance, Verdict& verdict) mutable {
    verify_typical(draft, laws, key, chance, scratch, verdict, epsilon, delta);
  };
}

TEST(Lenient, IsTheRatioTestAtLenienceOneAndLossyBelow) {
  for (const auto form : {LenientResidual::full, LenientResidual::lenient}) {
    EXPECT_LE(error_of(lenient(1.0, form)), 1e-12);
    EXPECT_GT(error_of(lenient(0.8, form)), 1e-3);
    EXPECT_GT(error_of(lenient(0.5, form)), error_of(lenient(0.8, form)));
  }
}

/// formulas: no token becomes likelier than p(x)/l. @source Leviathan et al. 2023, A.5
TEST(Lenient, MakesNoTokenLikelierThanItsProbabilityOverTheLenience) {
  for (const auto form : {LenientResidual::full, LenientResidual::lenient})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const SmallWorld world({4, LawKind::random, LawKind::random, seed});
      const auto law = emitted_law(world, {}, 1, TreeShape::parse("1", 0), DrawKind::sampled,
                                   lenient(0.6, form));
      for (const auto& [tokens, probability] : law)
        EXPECT_LE(probability, world.target({})[static_cast<std::size_t>(tokens[0])] / 0.6 + 1e-12);
    }
}

TEST(Typical, IsLossyAndDrawsNothingForDrafts) {
  EXPECT_GT(error_of(typical(0.09, 0.3)), 1e-3);
  // A threshold that no probability exceeds leaves plain sampling.
  EXPECT_LE(error_of(typical(1.0, 4.0)), 1e-12);
}

/// @source Sun et al. 2024, theorem 1: no rule for chains accepts more than block verification
TEST(Block, AcceptsAtLeastAsManyTokensAsTheRatioTest) {
  double gained = 0.0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const SmallWorld world({3, LawKind::random, LawKind::random, seed});
    const auto accepted = [&](const char* rule) {
      return mean_accepted(world, TreeShape::chain(3), DrawKind::sampled, rule_named<double>(rule));
    };
    const double block = accepted("block"), ratio = accepted("rejection"),
                 match = accepted("sample_and_match");
    EXPECT_GE(block, ratio - 1e-12) << seed;
    EXPECT_GE(ratio, match - 1e-12) << seed;
    gained += block - ratio;
  }
  EXPECT_GT(gained, 0.01) << "block verification never differed from the ratio test";
}

/// The smallest rho by bisection, in double.
double bisected_rho(const BasicLaw<double>& p, const BasicLaw<double>& q, int k) {
  double low = 1.0, high = k;
  const auto holds = [&](double rho) {
    const double kept = shared_mass(p, q, 1.0 / rho);
    return rho * kept >= detail::any_of_k(kept, k);
  };
  if (holds(low)) return low;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

/// From laws that have nothing in common to laws that are equal but for one part in 1e8.
TEST(SeveralDrafts, FindTheSmallestRho) {
  for (const double epsilon : {0.9, 0.3, 0.01, 1e-4, 1.04e-6, 1e-8})
    for (const double ratio : {0.1, 0.4, 0.95, 3.0})
      for (int k = 2; k <= 8; ++k) {
        std::vector<double> p(64, epsilon / 63.0), q(64, std::min(0.99, epsilon * ratio) / 63.0);
        p[7] = 1.0 - epsilon;
        q[7] = 1.0 - std::min(0.99, epsilon * ratio);
        const auto target = BasicLaw<double>::dense(p), draft = BasicLaw<double>::dense(q);
        const detail::KSequential found = detail::k_sequential(target, draft, k);
        const double best = shared_mass(
            target, draft,
            1.0 / bisected_rho(target, draft,
                               k));  // where (1 - b)^k is below rounding many rho are as good
        EXPECT_NEAR(detail::any_of_k(found.kept, k), detail::any_of_k(best, k), 1e-8)
            << epsilon << " " << ratio << " " << k;
        EXPECT_GE(found.surplus, 0.0) << epsilon << " " << ratio << " " << k;
        EXPECT_EQ(found.kept, shared_mass(target, draft, 1.0 / found.rho));
        const auto single = [](const std::vector<double>& law) {
          return BasicLaw<float>::dense({law.begin(), law.end()});
        };
        EXPECT_GE(detail::k_sequential(single(p), single(q), k).surplus, 0.0);
      }
}

}  // namespace
}  // namespace speclab
