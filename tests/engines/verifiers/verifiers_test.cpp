#include "engines/verifiers/verifier.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr std::size_t kVocab = 8;

/// Root with children 1 and 2; 1 has child 3, 3 has child 4. Every law is a point mass on the
/// drafted token's id.
Draft arg_max_tree() {
  Draft draft;
  draft.reset(0, DrawKind::arg_max);
  for (const auto& [parent, token] : {std::pair{0, 1}, {0, 2}, {1, 3}, {3, 4}}) {
    draft.law_for(parent).assign_point_mass(kVocab, token);
    draft.add(parent, token);
  }
  return draft;
}

/// The target's best token after every node.
class GreedyTarget {
 public:
  explicit GreedyTarget(std::vector<Token> best) : best_(std::move(best)) {}
  const Law& operator()(TokenTree::Node node) {
    visited_.push_back(node);
    law_.assign_point_mass(kVocab, best_.at(static_cast<std::size_t>(node)));
    return law_;
  }
  const std::vector<TokenTree::Node>& visited() const { return visited_; }

 private:
  std::vector<Token> best_;
  std::vector<TokenTree::Node> visited_;
  Law law_;
};

Verdict verdict_of(Verifier& verifier, GreedyTarget& target, const RoundKey& key = {}) {
  Verdict verdict;
  verifier.verify(arg_max_tree(), std::ref(target), key, verdict);
  return verdict;
}

TEST(Verifiers, AreMadeByTheirNames) {
  for (const std::string kind : kVerifierKinds) {
    const auto trace = std::make_shared<ReplayTrace>(ReplayTrace{{{1, 1}}});
    EXPECT_EQ(
        make_verifier({.sampling = {.temperature = 0}, .verifier = kind, .replay = trace})->name(),
        kind);
    if (kind == "greedy" || kind == "replay") continue;
    const auto sampled = make_verifier({.verifier = kind});
    EXPECT_EQ(sampled->name(), kind);
    EXPECT_EQ(sampled->lossless(), kind != "lenient" && kind != "typical");
  }
}

TEST(Verifiers, RefuseSettingsThatDoNotGoTogether) {
  EXPECT_THROW(make_verifier({.drafter = {.tree = "2x2"}, .verifier = "block"}), ConfigError);
  EXPECT_THROW(make_verifier({.verifier = "lenient", .lossy = {.lenience = 0}}), ConfigError);
  EXPECT_THROW(make_verifier({.verifier = "lenient", .lossy = {.lenience = 1.5}}), ConfigError);
  EXPECT_THROW(make_verifier({.verifier = "typical", .lossy = {.typical_epsilon = 2}}),
               ConfigError);
}

TEST(Verifiers, RefuseAnUnknownNameAndListTheirs) {
  try {
    make_verifier({.verifier = "wishful"});
    FAIL() << "it was accepted";
  } catch (const ConfigError& error) {
    for (const std::string kind : kUserVerifierKinds)
      EXPECT_NE(std::string(error.what()).find(kind), std::string::npos) << error.what();
  }
}

TEST(GreedyVerifier, IsRefusedWhereTokensAreSampled) {
  EXPECT_THROW(make_verifier({.sampling = {.temperature = 0.5}, .verifier = "greedy"}),
               ConfigError);
}

TEST(GreedyVerifier, FollowsTheBranchThatMatches) {
  GreedyTarget target({1, 3, 7, 4, 6});
  const Verdict verdict = verdict_of(*make_greedy_verifier(), target);
  EXPECT_EQ(verdict.accepted, (std::vector<TokenTree::Node>{1, 3, 4}));
  EXPECT_EQ(verdict.next, 6);
  EXPECT_EQ(verdict.next_kind, NextKind::bonus);
  EXPECT_EQ(target.visited(), (std::vector<TokenTree::Node>{0, 1, 3, 4}));
}

TEST(GreedyVerifier, AcceptsTheSecondSiblingAfterTestingTheFirst) {
  GreedyTarget target({2, 0, 5, 0, 0});
  const Verdict verdict = verdict_of(*make_greedy_verifier(), target);
  EXPECT_EQ(verdict.accepted, (std::vector<TokenTree::Node>{2}));
  EXPECT_EQ(verdict.tested, 2);
  EXPECT_EQ(verdict.next, 5);
  EXPECT_EQ(verdict.next_kind, NextKind::bonus);
}

TEST(GreedyVerifier, RecoversWithTheTargetsTokenWhereNothingMatches) {
  GreedyTarget target({1, 7, 0, 0, 0});
  const Verdict verdict = verdict_of(*make_greedy_verifier(), target);
  EXPECT_EQ(verdict.accepted, (std::vector<TokenTree::Node>{1}));
  EXPECT_EQ(verdict.next, 7);
  EXPECT_EQ(verdict.next_kind, NextKind::recovered);
}

TEST(RejectionVerifier, AgreesWithGreedyWhereTheTargetIsCertain) {
  for (const std::vector<Token>& best :
       {std::vector<Token>{1, 3, 7, 4, 6}, {2, 0, 5, 0, 0}, {1, 7, 0, 0, 0}, {5, 0, 0, 0, 0}}) {
    GreedyTarget left(best), right(best);
    const Verdict greedy = verdict_of(*make_greedy_verifier(), left),
                  rejection = verdict_of(
                      *make_random_verifier({.verifier = "rejection", .seed = 3}), right);
    EXPECT_EQ(greedy.accepted, rejection.accepted);
    EXPECT_EQ(greedy.next, rejection.next);
    EXPECT_EQ(greedy.next_kind, rejection.next_kind);
  }
}

TEST(ReplayVerifier, ForcesTheTraceAlongFirstChildren) {
  GreedyTarget target({6, 6, 6, 6, 6});
  const auto verifier =
      make_replay_verifier(std::make_shared<ReplayTrace>(ReplayTrace{{{2, 2}, {0, 0}, {9, 9}}}));
  EXPECT_FALSE(verifier->lossless());
  const Verdict two = verdict_of(*verifier, target, {.sequence = 0, .round = 0});
  EXPECT_EQ(two.accepted, (std::vector<TokenTree::Node>{1, 3}));
  EXPECT_EQ(two.next_kind, NextKind::recovered);
  const Verdict none = verdict_of(*verifier, target, {.sequence = 0, .round = 1});
  EXPECT_TRUE(none.accepted.empty());
  EXPECT_EQ(none.tested, 1);
  const Verdict all = verdict_of(*verifier, target, {.sequence = 0, .round = 2});
  EXPECT_EQ(all.accepted, (std::vector<TokenTree::Node>{1, 3, 4}));
  EXPECT_EQ(all.next_kind, NextKind::bonus);
  EXPECT_EQ(verdict_of(*verifier, target, {.sequence = 0, .round = 3}).accepted, two.accepted);
}

TEST(ReplayVerifier, NeedsATrace) {
  EXPECT_THROW(make_verifier({.verifier = "replay"}), ConfigError);
  EXPECT_THROW(make_replay_verifier(std::make_shared<ReplayTrace>()), ConfigError);
}

}  // namespace
}  // namespace speclab::engines
