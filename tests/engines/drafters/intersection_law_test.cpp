// The joint law of what every lossless rule emits where only tokens of both vocabularies can be
// drafted, enumerated in double precision.

#include <gtest/gtest.h>

#include <numeric>

#include "engines/interface/names.h"
#include "engines/interface/shared_vocabulary.h"
#include "tests/engines/drafters/string_tokenizer.h"
#include "tests/support/named_rules.h"
#include "tests/support/small_world.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

/// The drafter's law over the target's tokens: own tokens without a counterpart lose their mass,
/// the others share it in proportion.
std::vector<double> over_shared_tokens(const SharedVocabulary& shared, std::size_t own_size,
                                       const std::vector<double>& law) {
  std::vector<double> mapped(law.size(), 0.0);
  for (std::size_t token = 0; token < own_size; ++token)
    if (const Token target = shared.to_target(static_cast<Token>(token));
        target != SharedVocabulary::kNone)
      mapped[static_cast<std::size_t>(target)] = law[token];
  const double mass = std::reduce(mapped.begin(), mapped.end());
  for (double& p : mapped) p /= mass;
  return mapped;
}

/// Greedy draws nothing.
std::vector<const char*> drawing_rules() {
  return {kLosslessVerifierKinds.begin() + 1, kLosslessVerifierKinds.end()};
}

class IntersectionLaw : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, IntersectionLaw, ::testing::ValuesIn(drawing_rules()),
                         [](const auto& named) { return std::string(named.param); });

/// Defect: a rule that takes the draft's tokens for all tokens, so that those which only the target
/// has are emitted too seldom.
TEST_P(IntersectionLaw, IsTheTargets) {
  const std::string verifier = GetParam();
  const testing::StringTokenizer drafter({"ca", "b", "a"}), target({"a", "b", "c", "d"});
  const SharedVocabulary shared(drafter, target);
  ASSERT_EQ(shared.size(), 2);
  const bool is_chain = !verifier.starts_with("tree") && verifier != "several_drafts";
  const DrawKind kind =
      verifier == "point_mass" ? DrawKind::arg_max : draw_kind_for(verifier, is_chain);
  for (const LawKind target_kind : {LawKind::random, LawKind::with_zeros, LawKind::tiny_tail})
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const SmallWorld world({.vocab_size = 4,
                              .target_kind = target_kind,
                              .seed = seed,
                              .process_draft = [&](const Tokens&, const std::vector<double>& law) {
                                return over_shared_tokens(shared, 3, law);
                              }});
      const TreeShape shape = TreeShape::parse(is_chain ? "2" : "parents:0,0", 0);
      const auto law = emitted_law(world, {}, 2, shape, kind, rule_named<double>(verifier));
      EXPECT_LT(max_difference(law, world.target_joint_law({}, 2)), 1e-12) << "seed " << seed;
      EXPECT_NEAR(total_mass(law), 1.0, 1e-12) << "seed " << seed;
    }
}

}  // namespace
}  // namespace speclab::engines
