// Every branch of the rules, reached by scripted draws.
#include <gtest/gtest.h>

#include "sim/rules/acceptance.h"
#include "sim/system/errors.h"
#include "tests/support/counting_chance.h"
#include "tests/support/scripted_chance.h"

namespace speclab {
namespace {

using speclab::testing::CountingChance;
using speclab::testing::ScriptedChance;
using LawD = BasicLaw<double>;

/// A draft and the target's laws of its nodes, by hand.
struct Scene {
  BasicDraft<double> draft;
  std::vector<LawD> target_laws;

  Verdict verify(std::vector<double> uniforms) {
    ScriptedChance chance(std::move(uniforms));
    std::vector<double> scratch;
    Verdict verdict;
    verify_rejection(draft, laws(), {}, chance, scratch, verdict);
    return verdict;
  }
  TargetLaws<double> laws() const {
    return [this](TokenTree::Node node) -> const LawD& {
      return target_laws.at(static_cast<std::size_t>(node));
    };
  }
};

/// p = (.4, .3, .2, .1), q uniform; a chain of tokens 3 and 0.
Scene chain() {
  Scene scene;
  scene.draft.reset(0, DrawKind::sampled);
  TokenTree::Node node = 0;
  for (const Token token : {3, 0}) {
    scene.draft.law_for(node) = LawD::dense({0.25, 0.25, 0.25, 0.25});
    node = scene.draft.add(node, token);
  }
  scene.target_laws.assign(3, LawD::dense({0.4, 0.3, 0.2, 0.1}));
  return scene;
}

TEST(VerifyRejection, AcceptsBelowTheRatioOnly) {
  EXPECT_EQ(chain().verify({0.3999, 0.0, 0.5}).accepted.size(), 2U);  // p/q = 0.4 at token 3
  EXPECT_EQ(chain().verify({0.4001, 0.5}).accepted.size(), 0U);
}

TEST(VerifyRejection, NeverAcceptsWhatTheTargetCannotSay) {
  Scene scene = chain();
  scene.target_laws[0] = LawD::dense({0.5, 0.3, 0.2, 0.0});
  const Verdict verdict = scene.verify({0.0, 0.0});  // a coin of exactly 0
  EXPECT_TRUE(verdict.accepted.empty());
  EXPECT_EQ(verdict.next, 0);
}

TEST(VerifyRejection, DrawsTheRecoveredTokenFromTheResidual) {
  // residual (.75, .25, 0, 0)
  EXPECT_EQ(chain().verify({0.9, 0.7499}).next, 0);
  EXPECT_EQ(chain().verify({0.9, 0.7501}).next, 1);
  const Verdict verdict = chain().verify({0.9, 0.9999999});
  EXPECT_EQ(verdict.next, 1);
  EXPECT_EQ(verdict.next_kind, NextKind::recovered);
  EXPECT_EQ(verdict.tested, 1);
}

TEST(VerifyRejection, DrawsTheBonusTokenFromTheTargetsLawAtTheLeaf) {
  Scene scene = chain();
  scene.target_laws[2] = LawD::sparse(4, {{2, 0.5}, {3, 0.5}});
  const Verdict verdict = scene.verify({0.0, 0.0, 0.6});
  EXPECT_EQ(verdict.accepted, (std::vector<TokenTree::Node>{1, 2}));
  EXPECT_EQ(verdict.next, 3);
  EXPECT_EQ(verdict.next_kind, NextKind::bonus);
  EXPECT_EQ(verdict.tested, 2);
}

TEST(VerifyRejection, NeverAcceptsATokenThatTheTargetForbids) {
  Scene scene = chain();
  scene.target_laws[0] = LawD::dense({0.5, 0.5, 0.0, 0.0});
  EXPECT_TRUE(scene.verify({0.0, 0.1}).accepted.empty());
}

TEST(VerifyRejection, TriesSiblingsInDrawingOrderAgainstTheReducedLaw) {
  // p = (.5, .3, .2), q = (.2, .3, .5), drawn without replacement: 2, then 1.
  Scene scene;
  scene.draft.reset(0, DrawKind::sampled_without_replacement);
  scene.draft.law_for(0) = LawD::dense({0.2, 0.3, 0.5});
  scene.draft.add(0, 2);
  scene.draft.add(0, 1);
  scene.target_laws.assign(3, LawD::dense({0.5, 0.3, 0.2}));
  // Token 2: p/q = .4. Then r = (1, 0, 0), so token 1 is never accepted and 0 follows.
  EXPECT_EQ(scene.verify({0.39, 0.0}).accepted, (std::vector<TokenTree::Node>{1}));
  const Verdict verdict = scene.verify({0.41, 0.0, 0.999});
  EXPECT_TRUE(verdict.accepted.empty());
  EXPECT_EQ(verdict.next, 0);
  EXPECT_EQ(verdict.tested, 2);
}

TEST(VerifyRejection, MasksRejectedArgMaxDrafts) {
  Scene scene;
  scene.draft.reset(0, DrawKind::arg_max);
  scene.draft.law_for(0) = LawD::point_mass(3, 1);
  scene.draft.add(0, 1);
  scene.target_laws.assign(2, LawD::dense({0.5, 0.3, 0.2}));
  EXPECT_EQ(scene.verify({0.2999, 0.0}).accepted.size(), 1U);
  EXPECT_EQ(scene.verify({0.3001, 0.71}).next, 0);  // 5/7 = .714
  EXPECT_EQ(scene.verify({0.3001, 0.72}).next, 2);
}

TEST(VerifyRejection, FollowsAPointMassWithoutDrawingAToken) {
  Scene scene = chain();
  scene.target_laws[0] = LawD::point_mass(4, 1);
  const Verdict verdict = scene.verify({0.0});
  EXPECT_EQ(verdict.next, 1);
  EXPECT_EQ(verdict.next_kind, NextKind::recovered);
}

TEST(VerifyRejection, FallsBackToTheTargetsLawWhenRoundingLeavesNoResidual) {
  // p <= q everywhere: the draft's law sums to a little more than 1, so every residual is zero.
  Scene scene;
  scene.draft.reset(0, DrawKind::sampled);
  scene.draft.law_for(0) = LawD::dense({0.5 + 1e-9, 0.5});
  scene.draft.add(0, 0);
  scene.target_laws.assign(2, LawD::dense({0.5, 0.5}));
  EXPECT_EQ(scene.verify({1.0 - 1e-9, 0.4}).next, 0);
  EXPECT_EQ(scene.verify({1.0 - 1e-9, 0.6}).next, 1);
}

TEST(VerifyRejection, RefusesATokenDraftedWithProbabilityZero) {
  Scene scene = chain();
  scene.draft.law_for(0) = LawD::sparse(4, {{0, 0.5}, {1, 0.5}});
  EXPECT_THROW(scene.verify({0.5, 0.5, 0.5}), ContractError);
}

TEST(VerifyRejection, RefusesASiblingDrawnTwiceWithoutReplacement) {
  Scene scene;
  scene.draft.reset(0, DrawKind::sampled_without_replacement);
  scene.draft.law_for(0) = LawD::dense({0.5, 0.5});
  scene.draft.add(0, 1);
  scene.draft.add(0, 1);
  scene.target_laws.assign(3, LawD::dense({0.9, 0.1}));
  EXPECT_THROW(scene.verify({0.99, 0.5, 0.5}), ContractError);
}

TEST(VerifyRejection, RefusesLawsOfDifferentVocabularies) {
  Scene scene = chain();
  scene.target_laws[0] = LawD::dense({0.4, 0.3, 0.2, 0.1, 0.0});
  EXPECT_THROW(scene.verify({0.9, 0.5}), ContractError);
}

TEST(VerifyRejection, DrawsOneCoinPerTestedTokenAndOneTokenARound) {
  PhiloxChance philox(11);
  CountingChance chance(philox);
  std::vector<double> scratch;
  Verdict verdict;
  const Scene scene = chain();
  std::size_t tested = 0;
  std::size_t recovered = 0;
  for (std::uint32_t round = 0, position = 0; round < 200;
       ++round) {  // CountingChance throws on a repeated key
    verify_rejection(scene.draft, scene.laws(), {3, position, round}, chance, scratch, verdict);
    position += static_cast<std::uint32_t>(verdict.accepted.size()) + 1;
    tested += static_cast<std::size_t>(verdict.tested);
    recovered += verdict.next_kind == NextKind::recovered ? 1 : 0;
  }
  EXPECT_EQ(chance.num_draws(Purpose::accept), tested);
  EXPECT_EQ(chance.num_draws(Purpose::recover), recovered);
  EXPECT_EQ(chance.num_draws(Purpose::target), 200 - recovered);
  EXPECT_GT(recovered, 20U);
  EXPECT_LT(recovered, 180U);
}

TEST(VerifyRejection, EqualsPlainSamplingWhenNothingIsDrafted) {
  PhiloxChance chance(4);
  std::vector<double> scratch;
  Verdict verdict;
  BasicDraft<double> draft;
  draft.reset(0, DrawKind::sampled);
  const LawD law = LawD::dense({0.4, 0.3, 0.2, 0.1});
  const TargetLaws<double> laws = [&](TokenTree::Node) -> const LawD& { return law; };
  for (std::uint32_t position = 0; position < 100; ++position) {
    verify_rejection(draft, laws, {1, position, position}, chance, scratch, verdict);
    EXPECT_EQ(verdict.next,
              sample(law, StreamKey{1, position, Purpose::target, 0}, chance, scratch));
  }
}

TEST(VerifyGreedy, AcceptsTheMatchingSiblingAndCountsTheTestedOnes) {
  Scene scene;
  scene.draft.reset(0, DrawKind::arg_max);
  scene.draft.add(0, 1);
  const auto second = scene.draft.add(0, 0);
  scene.draft.add(second, 2);
  scene.target_laws.assign(4, LawD::dense({0.4, 0.3, 0.3}));
  Verdict verdict;
  verify_greedy(scene.draft, scene.laws(), verdict);
  EXPECT_EQ(verdict.accepted, (std::vector<TokenTree::Node>{second}));
  EXPECT_EQ(verdict.next, 0);
  EXPECT_EQ(verdict.next_kind, NextKind::recovered);
  EXPECT_EQ(verdict.tested, 3);
}

}  // namespace
}  // namespace speclab
