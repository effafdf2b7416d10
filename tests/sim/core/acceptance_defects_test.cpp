// Defects seeded into a copy of the rule: the oracle that passes the right rule must catch each of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/small_world.h"

namespace speclab {
namespace {

using namespace speclab::testing;

enum class Defect {
  none,
  resamples_from_the_target,      ///< recovered token from p, not from the residual
  residual_not_renormalised,      ///< later siblings are tested against max(0, p - q) as it is
  draft_law_not_renormalised,     ///< later siblings are divided by q, not by q without the tried ones
  accepts_by_the_inverse_ratio,   ///< min(1, q/p)
  bonus_from_the_draft_law,       ///< the last token of a fully accepted draft comes from q
};

std::vector<double> dense(const BasicLaw<double>& law) {
  std::vector<double> values;
  for (Token token = 0; static_cast<std::size_t>(token) < law.vocab_size(); ++token) values.push_back(law[token]);
  return values;
}

double mass(const std::vector<double>& law) {
  double total = 0.0;
  for (const double probability : law) total += probability;
  return total;
}

std::vector<double> normalised(std::vector<double> law) {
  const double total = mass(law);
  if (total > 0.0)
    for (double& probability : law) probability /= total;
  return law;
}

/// The rule for one level of siblings and chains, in its plainest dense form, with a defect.
void verify_with(Defect defect, const BasicDraft<double>& draft, const TargetLaws<double>& laws, const RoundKey& key,
                 CountingChance<ForkingChance>& chance, Verdict& verdict) {
  verdict.clear();
  TokenTree::Node node = 0;
  std::vector<TokenTree::Node> children;
  while (true) {
    const std::vector<double> p = dense(laws(node));
    const std::int32_t depth = draft.tree[node].depth;
    draft.tree.children(node, children);
    if (children.empty()) {
      const bool from_draft = defect == Defect::bonus_from_the_draft_law && node != 0;
      const std::vector<double> law = from_draft ? dense(draft.law_at(draft.tree[node].parent)) : p;
      verdict.next = static_cast<Token>(chance.categorical(target_key(key, depth), std::span<const double>(law)));
      return;
    }
    std::vector<double> residual = p;
    std::vector<double> q = dense(draft.law_at(node));
    TokenTree::Node accepted = TokenTree::kNone;
    for (const TokenTree::Node child : children) {
      const auto token = static_cast<std::size_t>(draft.tree[child].token);
      const double ratio = defect == Defect::accepts_by_the_inverse_ratio ? q[token] / residual[token] : residual[token] / q[token];
      if (chance.bernoulli(node_key(key, Purpose::accept, depth, child), ratio)) {
        accepted = child;
        break;
      }
      for (std::size_t i = 0; i < q.size(); ++i) residual[i] = std::max(0.0, residual[i] - q[i]);
      if (defect != Defect::residual_not_renormalised) residual = normalised(residual);
      q[token] = 0.0;
      if (defect != Defect::draft_law_not_renormalised) q = normalised(q);
    }
    if (accepted == TokenTree::kNone) {
      const std::vector<double>& law = defect == Defect::resamples_from_the_target || !(mass(residual) > 0.0) ? p : residual;
      verdict.next = static_cast<Token>(chance.categorical(node_key(key, Purpose::recover, depth, node), std::span<const double>(law)));
      return;
    }
    verdict.accepted.push_back(accepted);
    node = accepted;
  }
}

/// Largest error of the joint law of two tokens over a few worlds.
double error_of(Defect defect, const char* shape) {
  double error = 0.0;
  const Rule<double> rule = [defect](const auto& draft, const auto& laws, const auto& key, auto& chance, Verdict& verdict) {
    verify_with(defect, draft, laws, key, chance, verdict);
  };
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const SmallWorld world({4, LawKind::random, LawKind::random, seed});
    const auto law = emitted_law(world, {}, 2, TreeShape::parse(shape, 0), DrawKind::sampled_without_replacement, rule);
    error = std::max(error, max_difference(law, world.target_joint_law({}, 2)));
  }
  return error;
}

TEST(Oracle, PassesTheRightRule) {
  EXPECT_LE(error_of(Defect::none, "1"), 1e-12);
  EXPECT_LE(error_of(Defect::none, "2"), 1e-12);
  EXPECT_LE(error_of(Defect::none, "parents:0,0,0,1"), 1e-12);
}

TEST(Oracle, CatchesResamplingFromTheTarget) { EXPECT_GT(error_of(Defect::resamples_from_the_target, "1"), 1e-3); }
TEST(Oracle, CatchesAResidualThatIsNotRenormalised) { EXPECT_GT(error_of(Defect::residual_not_renormalised, "parents:0,0,0"), 1e-3); }
TEST(Oracle, CatchesADraftLawThatIsNotRenormalised) { EXPECT_GT(error_of(Defect::draft_law_not_renormalised, "parents:0,0,0"), 1e-3); }
TEST(Oracle, CatchesTheInverseRatio) { EXPECT_GT(error_of(Defect::accepts_by_the_inverse_ratio, "1"), 1e-3); }
TEST(Oracle, CatchesABonusTokenFromTheDraftLaw) { EXPECT_GT(error_of(Defect::bonus_from_the_draft_law, "1"), 1e-3); }

}  // namespace
}  // namespace speclab
