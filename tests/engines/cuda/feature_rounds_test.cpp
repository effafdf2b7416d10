// Drafters that read the target's hidden states, in rounds on the device: the host's tokens and
// records over the same models from the same draws.

#include "tests/engines/cuda/device_rounds.h"

namespace speclab::engines {
namespace {

class FeatureRounds : public testing::DeviceRounds {
 protected:
  void SetUp() override {
    DeviceRounds::SetUp();
    if (!IsSkipped()) load_features(target_shape(), 3);
    sequences_ = {1};
  }

  void expect_hosts_rounds() {
    int accepted = 0;
    for (const double temperature : {0.0, 1.0})
      for (const char* tree : {"chain", "parents:0,0,1,2,2"})
        accepted += expect_equal(feature_options(tree, temperature, 10), 3);
    EXPECT_GT(accepted, 3) << "the test sees little";
  }

  static DecoderShape target_shape() {
    DecoderShape shape = testing::small_config();
    shape.vocab_size = 24;
    shape.num_layers = 3;
    shape.num_heads = 1;
    shape.hidden_size = shape.intermediate_size = 32;
    return shape;
  }

  static DecoderOptions feature_options(const char* tree, double temperature,
                                        std::int32_t max_new_tokens = 8) {
    DecoderOptions result = options("feature_transformer", temperature, max_new_tokens);
    result.drafter.tree = tree;
    return result;
  }
};

/// Defects: own states that are not carried on; positions that are not one behind the tokens'.
TEST_F(FeatureRounds, WithTheLastStateAreTheHosts) {
  load_features(target_shape(), 1);
  expect_hosts_rounds();
}

/// Defect: a state of the wrong row or place of the target's pass.
TEST_F(FeatureRounds, WithThreeStatesAreTheHosts) { expect_hosts_rounds(); }

/// Defect: a draft that changes what greedy decoding writes.
TEST_F(FeatureRounds, LeaveGreedyTokensAsTheyAre) {
  const auto plain = decode(*on_device(options("plain", 0.0, 8)), 1, 0).output_ids;
  for (const char* tree : {"chain", "2x2x1"})
    EXPECT_EQ(decode(*on_device(feature_options(tree, 0.0)), 1, 4).output_ids, plain) << tree;
}

/// Defect: a round without a draft that leaves its path's states unread.
TEST_F(FeatureRounds, RoundsWithoutADraftLeaveNoGap) {
  for (const char* tree : {"chain", "2x2x1"})
    EXPECT_GT(expect_equal(feature_options(tree, 1.0, 14), testing::TurningPolicy()), 0) << tree;
}

/// Defects: states of a prompt of no or of one state; a second sequence that starts from the path
/// of the first one.
TEST_F(FeatureRounds, StartFromAnyPrompt) {
  const auto device = on_device(feature_options("chain", 1.0));
  for (const std::size_t prompt : {1U, 2U, 3U, 70U})
    expect_equal(feature_options("chain", 1.0, 8), ConstantPolicy(3), prompt);
  const GenerationRecord first = decode(*device, 1, 3);
  decode(*device, 0, ConstantPolicy(3), 20);
  EXPECT_EQ(decode(*device, 1, 3).output_ids, first.output_ids);
}

/// Defect: two sequences over one target that read each other's states.
TEST_F(FeatureRounds, MayTakeTurnsWithRoundsOverTheSameTarget) {
  const auto first = on_device(feature_options("chain", 0.0)),
             second = on_device(feature_options("2x2", 1.0));
  const GenerationRecord alone = decode(*first, 1, 3);
  first->begin({{1, {9, 9, 9, 1}}}, ConstantPolicy(3));
  second->begin({{0, {4, 7, 9}}}, ConstantPolicy(2));
  for (bool goes_on = true; goes_on; second->round()) goes_on = first->round();
  EXPECT_EQ(first->records().front().output_ids, alone.output_ids);
  EXPECT_EQ(first->records().front().rounds.size(), alone.rounds.size());
}

/// Defect: a path read beyond the positions that the drafter has.
TEST_F(FeatureRounds, DraftNothingBeyondTheDraftersContext) {
  DecoderShape shape = testing::tiny_feature_config(target_shape(), 3);
  shape.context_length = 12;
  drafter_ = std::make_shared<cuda::LlamaCuda>(
      shape, *testing::tiny_feature_weights(target_shape(), {.scale = 6.0f}, 3), device_);
  for (const std::size_t prompt : {4U, 30U})
    expect_equal(feature_options("chain", 0.0, 16), ConstantPolicy(3), prompt);
}

class LookupRounds : public FeatureRounds {
 protected:
  /// Prompts of one token alone, which is copied from the first round on.
  void SetUp() override {
    FeatureRounds::SetUp();
    sequences_ = {9};
  }

  /// @param weight  of the copy; none: as much as copies came true
  static DecoderOptions lookup_options(const char* tree, double temperature,
                                       std::optional<double> weight = {}) {
    DecoderOptions result = feature_options(tree, temperature, 10);
    result.drafter.kind = "lookup_transformer";
    result.drafter.lookup_weight = weight;
    return result;
  }
};

/// Defects: a copy mixed behind a node that has left it; a mixture whose share, remainder or
/// likeliest token is not the host's.
TEST_F(LookupRounds, AreTheHostsRoundsGreedyAndSampled) {
  for (const double temperature : {0.0, 1.0}) {
    int accepted = 0;
    accepted += expect_equal(lookup_options("chain", temperature), ConstantPolicy(3), 9);
    accepted += expect_equal(lookup_options("2x2x1", temperature, 0.3), ConstantPolicy(3), 9);
    accepted += expect_equal(lookup_options("chain", temperature, 1.0), ConstantPolicy(3), 9);
    EXPECT_GT(accepted, 1) << temperature;
  }
}

/// Defect: a draft that changes what greedy decoding writes.
TEST_F(LookupRounds, LeaveGreedyTokensAsTheyAre) {
  const auto plain = decode(*on_device(options("plain", 0.0, 10)), 1, 0).output_ids;
  for (const char* tree : {"chain", "2x2x1"})
    EXPECT_EQ(decode(*on_device(lookup_options(tree, 0.0)), 1, 4).output_ids, plain) << tree;
}

/// Defect: a round without a copy that mixes the copy of the round before.
TEST_F(LookupRounds, ForgetTheCopyOfTheRoundBefore) {
  for (const double temperature : {0.0, 1.0})
    expect_equal(lookup_options("chain", temperature, 0.7), testing::TurningPolicy(), 12);
}

}  // namespace
}  // namespace speclab::engines
