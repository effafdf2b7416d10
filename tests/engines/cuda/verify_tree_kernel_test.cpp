// The device's verification of hand-made trees against the rules' scalar truth: the same verdict
// from the same draws.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engines/cuda/device.h"
#include "engines/cuda/kernels/rounds.h"
#include "sim/rules/match.h"
#include "sim/rules/rejection.h"
#include "tests/engines/cuda/exact_laws.h"
#include "tests/engines/cuda/vocabularies.h"

namespace speclab::engines::cuda {
namespace {

constexpr std::int32_t kTreeLength = 17;  ///< of the sequence before the round
constexpr RoundKey kTreeKey{3, kTreeLength, 5};
constexpr int kMostNodes = 30;

/// What the target thinks of a node's children.
enum class Target { any, half_of_the_draft };

/// A tree of random form as the host and as the device keep it, and the laws of its nodes.
class TreeRound {
 public:
  TreeRound(std::mt19937& random, int vocab, Target target) : random_(random), vocab_(vocab) {
    draft.reset(0, DrawKind::sampled_without_replacement);
    state.tree.depth[0] = 0;
    for (TokenTree::Node node = 0; node < draft.tree.size(); ++node) {
      make_laws(target);
      add_children(node);
      state.best[node] = arg_max(target_laws.back());
    }
    state.length = kTreeLength;
    state.sequence = kTreeKey.sequence;
    state.round = kTreeKey.round;
    state.pending = 77;
    state.rows = draft.tree.size();
  }

  int vocab() const { return vocab_; }

  Draft draft;
  std::vector<ExactLaw> draft_laws, target_laws;
  RoundState state{};

 private:
  static Token arg_max(const ExactLaw& law) {
    return static_cast<Token>(std::ranges::max_element(law.exponentials) -
                              law.exponentials.begin());
  }

  void make_laws(Target target) {
    draft_laws.push_back(random_law(random_, vocab_));
    target_laws.push_back(target == Target::any && random_() % 4 != 0 ? random_law(random_, vocab_)
                                                                      : draft_laws.back());
    if (target == Target::half_of_the_draft) target_laws.back().sum *= 2.0;
  }

  /// Tokens of the draft's law, the target's arg max often among them.
  std::vector<Token> random_tokens() {
    std::vector<Token> tokens;
    for (Token token = 0; token < vocab_; ++token)
      if (draft_laws.back().exponentials[static_cast<std::size_t>(token)] > 0.0f)
        tokens.push_back(token);
    std::ranges::shuffle(tokens, random_);
    const auto best = std::ranges::find(tokens, arg_max(target_laws.back()));
    if (best != tokens.end() && random_() % 2 == 0)
      std::swap(*best, tokens[random_() % std::min<std::size_t>(3, tokens.size())]);
    return tokens;
  }

  void add_children(TokenTree::Node node) {
    std::vector<Token> tokens = random_tokens();
    const std::size_t wanted = draft.tree.size() >= kMostNodes ? 0 : node == 0 ? 3 : random_() % 5;
    tokens.resize(std::min(tokens.size(), wanted));
    state.tree.first_child[node] = draft.tree.size();
    state.tree.num_children[node] = static_cast<std::int32_t>(tokens.size());
    if (!tokens.empty()) fill(draft.law_for(node), draft_laws.back());
    ExactLaw left = draft_laws.back();
    for (const Token token : tokens) {
      const TokenTree::Node child = draft.add(node, token);
      state.drafted[child - 1] = token;
      state.tree.depth[child] = draft.tree[child].depth;
      state.tree.mass[child] = 0.0;
      for (std::size_t i = 0; i < left.exponentials.size(); ++i)
        state.tree.mass[child] += static_cast<double>(left[i]);
      left.exponentials[static_cast<std::size_t>(token)] = 0.0f;
    }
  }

  std::mt19937& random_;
  int vocab_;
};

Verdict verified_tree_on_host(const TreeRound& round) {
  std::vector<Law> laws(round.target_laws.size());
  for (std::size_t i = 0; i < laws.size(); ++i) fill(laws[i], round.target_laws[i]);
  const TargetLaws<float> law = [&](TokenTree::Node node) -> const Law& {
    return laws[static_cast<std::size_t>(node)];
  };
  PhiloxChance chance(round.state.seed);
  std::vector<float> scratch;
  Verdict verdict;
  if (round.state.inverse_temperature > 0.0f)
    verify_rejection<float>(round.draft, law, kTreeKey, chance, scratch, verdict);
  else
    verify_greedy<float>(round.draft, law, verdict);
  return verdict;
}

class VerifyTreeKernel : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device_is_there()) GTEST_SKIP() << "no CUDA device is here";
    device_ = std::make_unique<Device>();
    told_ = std::make_unique<PinnedArray<RoundResult>>(1);
  }

  /// @return the round's state afterwards
  RoundState verify_on_device(const TreeRound& round, std::int32_t forced = -1) {
    const PinnedArray<RoundState> state(1);
    *state.data() = round.state;
    state.data()->forced = forced;
    const LawsOnDevice draft(round.draft_laws, round.vocab()),
        target(round.target_laws, round.vocab());
    const DeviceArray<float> remainder(static_cast<std::size_t>(round.vocab()));
    launch_verify_tree(state.data(), {draft.view(), target.view(), remainder.data()},
                       device_->context());
    launch_tell_host(state.data(), told_->data(), device_->context());
    device_->synchronize();
    return *state.data();
  }

  /// @return tokens accepted
  int expect_hosts_verdict(const TreeRound& round) {
    const RoundState found = verify_on_device(round);
    const Verdict verdict = verified_tree_on_host(round);
    const RoundOutcome& outcome = told_->data()->outcome;
    const auto accepted = static_cast<std::int32_t>(verdict.accepted.size());
    const std::int32_t is_bonus = verdict.next_kind == NextKind::bonus;
    EXPECT_EQ(std::tuple(outcome.accepted, outcome.tested, outcome.next, outcome.is_bonus),
              std::tuple(accepted, verdict.tested, verdict.next, is_bonus))
        << round.vocab() << " tokens, seed " << round.state.seed;
    EXPECT_EQ(std::tuple(found.length, found.pending, found.round),
              std::tuple(kTreeLength + accepted + 1, verdict.next, kTreeKey.round + 1));
    EXPECT_EQ(std::tuple(found.moves.first, found.moves.count), std::tuple(kTreeLength, accepted));
    for (std::int32_t i = 0; i < std::min(accepted, outcome.accepted); ++i) {
      const TokenTree::Node node = verdict.accepted[static_cast<std::size_t>(i)];
      EXPECT_EQ(found.moves.from[i], kTreeLength - 1 + node);
      EXPECT_EQ(told_->data()->tokens[i], round.draft.tree[node].token);
    }
    EXPECT_EQ(found.previous, accepted > 0 ? round.draft.tree[verdict.accepted.back()].token : 77);
    EXPECT_EQ(found.is_damaged, 0);
    return accepted;
  }

  void expect_hosts_verdicts(Target target, float inverse_temperature) {
    for (const int vocab : kVocabularies) {
      int accepted = 0;
      for (std::uint64_t seed = 0; seed < 16; ++seed) {
        TreeRound round(random_, vocab, target);
        round.state.seed = seed;
        round.state.inverse_temperature = inverse_temperature;
        accepted += expect_hosts_verdict(round);
      }
      EXPECT_GT(accepted, 0) << vocab;
    }
  }

  std::mt19937 random_{17};
  std::unique_ptr<Device> device_;
  std::unique_ptr<PinnedArray<RoundResult>> told_;  ///< made where there is a device
};

TEST_F(VerifyTreeKernel, GivesTheHostsVerdictAtEveryVocabulary) {
  expect_hosts_verdicts(Target::any, 1.0f);
}

/// What is left after a rejection is nothing, so that the target's own law takes over for the
/// siblings.
TEST_F(VerifyTreeKernel, GoesOnWithTheTargetsLawWhereARejectionLeavesNothing) {
  expect_hosts_verdicts(Target::half_of_the_draft, 1.0f);
}

TEST_F(VerifyTreeKernel, MatchesTheArgMaxAtTemperature0) {
  expect_hosts_verdicts(Target::any, 0.0f);
}

TEST_F(VerifyTreeKernel, AcceptsAsManyFirstChildrenAsAreForced) {
  for (const float inverse_temperature : {0.0f, 1.0f})
    for (const std::int32_t forced : {0, 1, 2, 9}) {
      TreeRound round(random_, 1500, Target::any);
      round.state.inverse_temperature = inverse_temperature;
      int node = 0, steps = 0;
      for (; steps < forced && round.state.tree.num_children[node] > 0; ++steps)
        node = round.state.tree.first_child[node];
      verify_on_device(round, forced);
      const bool is_bonus = round.state.tree.num_children[node] == 0;
      const RoundOutcome& outcome = told_->data()->outcome;
      EXPECT_EQ(
          std::tuple(outcome.accepted, outcome.tested, outcome.next, outcome.is_bonus),
          std::tuple(steps, steps + (is_bonus ? 0 : 1), round.state.best[node], is_bonus ? 1 : 0))
          << forced;
    }
}

}  // namespace
}  // namespace speclab::engines::cuda
