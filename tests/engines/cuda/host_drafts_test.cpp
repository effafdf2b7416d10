// Drafts that the host makes, in rounds on the device: the host's tokens and records from the same
// draws.

#include "sim/system/errors.h"
#include "tests/engines/cuda/device_rounds.h"

namespace speclab::engines {
namespace {

/// Chains and trees, with a law and without one.
struct HostDrafter {
  const char *kind, *tree;
};
constexpr std::array kHostDrafters{HostDrafter{"prompt_lookup", "chain"},
                                   HostDrafter{"ngram", "chain"}, HostDrafter{"ngram", "3x2x1"},
                                   HostDrafter{"lookup_ngram", "parents:0,0,1,2,2"},
                                   HostDrafter{"mixture", "2x2"}};

class HostDrafts : public testing::DeviceRounds {
 protected:
  /// One narrow layer over few tokens, and texts that the target writes itself: n-grams and copies
  /// are accepted then.
  void SetUp() override {
    DeviceRounds::SetUp();
    if (IsSkipped()) return;
    DecoderShape config = testing::small_config();
    config.vocab_size = 24;
    config.num_layers = config.num_heads = 1;
    config.hidden_size = config.intermediate_size = 32;
    load(config);
    sequences_ = {1};
    for (const std::uint32_t sequence : {0U, 1U})
      ngram_texts_.push_back(decode(*on_device(options("plain", 0.7, 24)), sequence, 0).output_ids);
  }

  static DecoderOptions host_options(const HostDrafter& drafter, double temperature,
                                     std::int32_t max_new_tokens = 9) {
    DecoderOptions result = options(drafter.kind, temperature, max_new_tokens);
    result.drafter.tree = drafter.tree;
    if (result.drafter.traits().is_mixture())
      result.drafter.parts = {{.kind = "prompt_lookup"}, {.kind = "ngram"}};
    return result;
  }
};

/// Defects: a point mass kept in the remainder; a law scattered to another node; the shape of the
/// round before read again; records that count another draft.
TEST_F(HostDrafts, AreTheHostsRoundsGreedyAndSampled) {
  for (const double temperature : {0.0, 0.7}) {
    int accepted = 0;
    for (const HostDrafter& drafter : kHostDrafters)
      accepted += expect_equal(host_options(drafter, temperature), ConstantPolicy(4), 9);
    EXPECT_GT(accepted, 0) << temperature << ": nothing was accepted, so that the test sees little";
  }
}

/// Defect: a draft that changes what greedy decoding writes.
TEST_F(HostDrafts, LeaveGreedyTokensAsTheyAre) {
  const auto plain = decode(*on_device(options("plain", 0.0, 9)), 1, 0).output_ids;
  for (const HostDrafter& drafter : kHostDrafters)
    EXPECT_EQ(decode(*on_device(host_options(drafter, 0.0)), 1, 5).output_ids, plain)
        << drafter.kind << ", " << drafter.tree;
}

/// Defect: rounds without a draft that read the draft before them, and drafts that outgrow the
/// graph of a shorter one.
TEST_F(HostDrafts, MayFollowRoundsWithoutADraftAndGrow) {
  for (const double temperature : temperatures())
    for (const HostDrafter& drafter : {kHostDrafters[0], kHostDrafters[2]})
      expect_equal(host_options(drafter, temperature, 12), testing::TurningPolicy(), 9);
  expect_equal(host_options(kHostDrafters[1], 1.0, 20), ConstantPolicy(18), 9);
}

/// Defect: forced rounds that test the host's draft all the same.
TEST_F(HostDrafts, AreForcedAsTheTraceSays) {
  DecoderOptions replay = host_options(kHostDrafters[1], 0.0);
  replay.verifier = "replay";
  replay.replay = std::make_shared<ReplayTrace>(ReplayTrace{{{3, 2}, {3, 0}, {2, 2}}});
  expect_equal(replay, ConstantPolicy(3), 9);
}

/// Defect: a draft written beyond the pinned nodes, or in an order that the kernels do not read.
TEST_F(HostDrafts, AreRefusedWhereTheyOutgrowTheirBufferOrTheirOrder) {
  Draft longest, crossed;
  for (Draft* draft : {&longest, &crossed}) draft->reset(9, DrawKind::arg_max);
  for (int i = 0; i < cuda::kMaxRows - 1; ++i) longest.add(i, 9);
  cuda::PinnedDraft pinned;
  EXPECT_EQ(pinned.fill(longest, cuda::kMaxRows).rows, cuda::kMaxRows);
  EXPECT_THROW(pinned.fill(longest, cuda::kMaxRows - 1), ContractError);
  longest.add(cuda::kMaxRows - 1, 9);
  EXPECT_THROW(pinned.fill(longest, cuda::kMaxRows), ContractError);
  for (const TokenTree::Node parent : {0, 0, 1, 2, 1}) crossed.add(parent, 9 + crossed.tree.size());
  EXPECT_THROW(pinned.fill(crossed, cuda::kMaxRows), ContractError) << "siblings apart";
}

/// Defect: a drafter that runs layers is taken for one of the host.
TEST_F(HostDrafts, NeverComeFromLayersThatTheDeviceLacks) {
  const auto refusal_of = [](const DecoderOptions& wrong) -> std::string {
    try {
      check_device_rounds(wrong);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  DecoderOptions mixed = host_options({"mixture", "chain"}, 0.0);
  EXPECT_EQ(refusal_of(mixed), "");
  mixed.drafter.parts.push_back({.kind = "small_transformer"});
  EXPECT_NE(refusal_of(mixed).find("lookup_ngram"), std::string::npos) << refusal_of(mixed);
  const std::string refusal = refusal_of(options("mlp_speculator", 0.0));
  EXPECT_NE(refusal.find("mlp_speculator"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("prompt_lookup"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace speclab::engines
