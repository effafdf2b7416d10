// The device's verification of hand-made laws against the rule's scalar truth: the same verdict
// from the same draws.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "engines/cuda/device.h"
#include "engines/cuda/kernels/rounds.h"
#include "sim/rules/rejection.h"
#include "tests/engines/cuda/exact_laws.h"
#include "tests/engines/cuda/vocabularies.h"

namespace speclab::engines::cuda {
namespace {

/// One round: a chain of drafted tokens with the laws they came from, and the target's laws before
/// and after each.
struct Round {
  int vocab;
  std::vector<Token> drafted;
  std::vector<ExactLaw> draft, target;
  std::uint64_t seed = 1;

  int length() const { return static_cast<int>(drafted.size()); }
};

constexpr std::int32_t kChainLength = 17;  ///< of the sequence before the round
constexpr RoundKey kKey{3, kChainLength, 5};

Round random_round(std::mt19937& random, int vocab, int length, int begin = 0) {
  Round round{vocab, {}, {}, {}};
  for (int i = 0; i <= length; ++i) round.target.push_back(random_law(random, vocab, begin));
  for (int i = 0; i < length; ++i) {
    round.draft.push_back(random() % 4 == 0 ? round.target[static_cast<std::size_t>(i)]
                                            : random_law(random, vocab));
    std::size_t token;
    do token = random() % static_cast<std::size_t>(vocab);
    while (!(round.draft.back()[token] > 0.0f));
    round.drafted.push_back(static_cast<Token>(token));
  }
  return round;
}

RoundResult verified_on_device(const Device& device, const Round& round, std::int32_t forced = -1) {
  RoundState state{};
  state.length = kChainLength;
  state.sequence = kKey.sequence;
  state.round = kKey.round;
  state.serial = 1;
  state.seed = round.seed;
  state.inverse_temperature = 1.0f;
  state.forced = forced;
  std::copy(round.drafted.begin(), round.drafted.end(), state.drafted);
  for (int i = 0; i <= round.length(); ++i) state.best[i] = 100 + i;
  const auto device_state = on_device<RoundState>(std::span<const RoundState>(&state, 1));
  const LawsOnDevice draft(round.draft, round.vocab), target(round.target, round.vocab);
  const PinnedArray<RoundResult> result(1);
  launch_verify(device_state.data(), round.length(), draft.view(), target.view(), result.data(),
                device.context());
  device.synchronize();
  return *result.data();
}

Verdict verified_on_host(const Round& round) {
  Draft draft;
  draft.reset(0, DrawKind::sampled);
  for (std::size_t i = 0; i < round.drafted.size(); ++i) {
    const auto node = static_cast<TokenTree::Node>(i);
    fill(draft.law_for(node), round.draft[i]);
    draft.add(node, round.drafted[i]);
  }
  std::vector<Law> laws(round.target.size());
  for (std::size_t i = 0; i < laws.size(); ++i) fill(laws[i], round.target[i]);
  PhiloxChance chance(round.seed);
  std::vector<float> scratch;
  Verdict verdict;
  verify_rejection<float>(
      draft,
      [&](TokenTree::Node node) -> const Law& { return laws[static_cast<std::size_t>(node)]; },
      kKey, chance, scratch, verdict);
  return verdict;
}

class VerifyKernel : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device_is_there()) GTEST_SKIP() << "no CUDA device is here";
    device_ = std::make_unique<Device>();
  }

  /// @return tokens accepted
  int expect_hosts_verdict(const Round& round) {
    const RoundResult found = verified_on_device(*device_, round);
    const Verdict verdict = verified_on_host(round);
    EXPECT_EQ(found.outcome.accepted, static_cast<int>(verdict.accepted.size()))
        << round.vocab << " tokens, draft of " << round.length() << ", seed " << round.seed;
    EXPECT_EQ(found.outcome.next, verdict.next)
        << round.vocab << " tokens, draft of " << round.length() << ", seed " << round.seed;
    EXPECT_EQ(found.is_damaged, 0);
    return found.outcome.accepted;
  }

  std::mt19937 random_{9};
  std::unique_ptr<Device> device_;
};

TEST_F(VerifyKernel, GivesTheHostsVerdictAtEveryVocabularyAndLength) {
  for (const int vocab : kVocabularies) {
    int accepted = 0, drafted = 0;
    for (const int length : {0, 1, 2, 3, 5, 8, 16})
      for (std::uint64_t seed = 0; seed < 6; ++seed) {
        Round round = random_round(random_, vocab, length);
        round.seed = seed;
        accepted += expect_hosts_verdict(round);
        drafted += length;
      }
    EXPECT_GT(accepted, 0) << vocab;
    EXPECT_EQ(accepted < drafted, vocab > 1) << "no rejection among " << vocab << " tokens";
  }
}

TEST_F(VerifyKernel, DrawsFromLawsWhoseMassIsInTheLastShareAlone) {
  for (const int vocab : kVocabularies)
    for (const int length : {0, 1, 3})
      expect_hosts_verdict(random_round(random_, vocab, length, vocab - 1 - (vocab - 1) % 48));
}

TEST_F(VerifyKernel, AcceptsWhereTargetAndDraftAreOneAndRejectsWhatTheTargetNeverSays) {
  for (const int vocab : {33, 1500})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Round round = random_round(random_, vocab, 3);
      round.seed = seed;
      round.draft = {round.target.begin(), round.target.end() - 1};
      for (std::size_t i = 0; i < 3; ++i)
        round.drafted[i] = static_cast<Token>(std::max_element(round.target[i].exponentials.begin(),
                                                               round.target[i].exponentials.end()) -
                                              round.target[i].exponentials.begin());
      EXPECT_EQ(expect_hosts_verdict(round), 3);
      const auto third = static_cast<std::size_t>(round.drafted[2]);
      round.target[2].exponentials[third == 0 ? 1 : 0] +=
          std::exchange(round.target[2].exponentials[third], 0.0f);
      EXPECT_EQ(expect_hosts_verdict(round), 2);
    }
}

/// A target that gives every token half of what the draft gives it: what happens, by rounding,
/// about once in 2^24 rejections.
TEST_F(VerifyKernel, DrawsFromTheTargetsLawWhereARejectionLeavesNothing) {
  for (const int vocab : kVocabularies) {
    int rejected = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      Round round = random_round(random_, vocab, 1);
      round.seed = seed;
      round.draft[0] = round.target[0];
      round.target[0].sum *= 2.0;
      while (!(round.draft[0][static_cast<std::size_t>(round.drafted[0])] > 0.0f))
        round.drafted[0] = (round.drafted[0] + 1) % vocab;
      rejected += 1 - expect_hosts_verdict(round);
    }
    EXPECT_GT(rejected, 0) << vocab;
  }
}

TEST_F(VerifyKernel, AcceptsAsManyAsAreForcedAndThenTakesTheArgMax) {
  const Round round = random_round(random_, 1500, 3);
  for (const std::int32_t forced : {0, 2, 3, 9}) {
    const RoundResult found = verified_on_device(*device_, round, forced);
    EXPECT_EQ(found.outcome.accepted, std::min(forced, 3));
    EXPECT_EQ(found.outcome.next, 100 + found.outcome.accepted);
  }
}

TEST_F(VerifyKernel, NotesLawsThatAreNoNumbersAndNamesATokenOfTheVocabulary) {
  for (const int vocab : kVocabularies)
    for (const int at : {0, vocab / 2, vocab - 1}) {
      Round round = random_round(random_, vocab, 0);
      round.target[0].exponentials[static_cast<std::size_t>(at)] =
          std::numeric_limits<float>::quiet_NaN();
      const RoundResult found = verified_on_device(*device_, round);
      EXPECT_EQ(found.is_damaged, 1) << vocab;
      EXPECT_TRUE(found.outcome.next >= 0 && found.outcome.next < vocab)
          << found.outcome.next << " of " << vocab;
    }
}

}  // namespace
}  // namespace speclab::engines::cuda
