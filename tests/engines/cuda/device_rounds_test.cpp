// Rounds on the device against the host's rounds over the same models: the same tokens from the
// same draws.

#include <gtest/gtest.h>

#include "engines/cuda/philox.h"
#include "sim/core/rng_stream.h"
#include "sim/system/errors.h"
#include "tests/engines/cuda/device_rounds.h"

namespace speclab::engines {
namespace {

using testing::DeviceRounds;
using testing::small_config;
using testing::TurningPolicy;

TEST(DevicePhilox, IsTheProjectsGenerator) {
  const RngStream stream(0x123456789abcdefull);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const StreamKey key{i * 7919, i * 104729, static_cast<Purpose>(i % 4), round_draw(i, i % 4096)};
    EXPECT_EQ(cuda::philox_uniform(stream.seed(), key.sequence, key.position, i % 4,
                                   i << cuda::kNodeBits | i % 4096),
              stream.uniform(key));
  }
  EXPECT_EQ(static_cast<std::uint32_t>(Purpose::target), cuda::kTargetDraw);
  EXPECT_EQ(static_cast<std::uint32_t>(Purpose::draft), cuda::kDraftDraw);
  EXPECT_EQ(static_cast<std::uint32_t>(Purpose::accept), cuda::kAcceptDraw);
  EXPECT_EQ(static_cast<std::uint32_t>(Purpose::recover), cuda::kRecoverDraw);
}

TEST_F(DeviceRounds, PlainDecodingIsTheHosts) {
  for (const double temperature : temperatures()) expect_equal(options("plain", temperature), 0);
}

TEST_F(DeviceRounds, GreedyRoundsAreTheHostsAndPlainDecodings) {
  const GenerationRecord plain = decode(*on_device(options("plain", 0.0)), 1, 0);
  for (const std::int32_t length : {0, 1, 4}) {
    const int accepted = expect_equal(options("small_transformer", 0.0), length);
    EXPECT_EQ(accepted > 0, length > 0);
    EXPECT_EQ(decode(*on_device(options("small_transformer", 0.0)), 1, length).output_ids,
              plain.output_ids)
        << "length " << length;
  }
}

TEST_F(DeviceRounds, SampledRoundsAreTheHosts) {
  for (const double temperature : {0.7, 1.0})
    for (const std::int32_t length : {1, 3})
      EXPECT_GT(expect_equal(options("small_transformer", temperature), length), 0) << temperature;
}

TEST_F(DeviceRounds, OfADraftVocabularyAreTheHosts) {
  load(small_config(), testing::drafter_of_some_tokens());
  const GenerationRecord plain = decode(*on_device(options("plain", 0.0)), 1, 0);
  for (const std::int32_t length : {1, 3}) {
    for (const double temperature : temperatures())
      EXPECT_GT(expect_equal(options("small_transformer", temperature, 40), length), 0)
          << temperature;
    EXPECT_EQ(decode(*on_device(options("small_transformer", 0.0)), 1, length).output_ids,
              plain.output_ids)
        << "length " << length;
  }
}

TEST_F(DeviceRounds, RoundsWithoutADraftLeaveNoGapInTheDraftersCache) {
  for (const double temperature : temperatures())
    EXPECT_GT(expect_equal(options("small_transformer", temperature), TurningPolicy()), 0);
}

/// Behind the border, passes are captured for two splits, so that the graphs grow.
TEST_F(DeviceRounds, AreTheHostsAcrossTheBorderOfTwoSplits) {
  DecoderShape config = small_config();
  config.context_length = cuda::keys_per_split(config.head_dim) + 64;
  load(config);
  EXPECT_GT(expect_equal(options("small_transformer", 1.0), ConstantPolicy(3),
                         static_cast<std::size_t>(cuda::keys_per_split(config.head_dim)) - 8),
            0);
}

TEST_F(DeviceRounds, DraftNothingBeyondTheDraftersContext) {
  DecoderShape short_context = small_config();
  short_context.context_length = 12;
  drafter_ = std::make_shared<cuda::LlamaCuda>(
      short_context, *testing::tiny_weights(short_context, {.scale = 6.0f, .foreign = 0.25f}),
      device_);
  expect_equal(options("small_transformer", 0.0), ConstantPolicy(3));
  expect_equal(options("small_transformer", 0.0, 4), ConstantPolicy(3), 30);
}

TEST_F(DeviceRounds, ReplayForcesWhatTheTraceSays) {
  DecoderOptions replay = options("small_transformer", 0.0);
  replay.verifier = "replay";
  replay.replay = std::make_shared<ReplayTrace>(ReplayTrace{{{3, 2}, {3, 0}, {2, 2}}});
  expect_equal(replay, 3);
}

TEST_F(DeviceRounds, AGenerationMayFollowALongerOne) {
  const auto device = on_device(options("small_transformer", 1.0, 12));
  const GenerationRecord first = decode(*device, 1, 3);
  const std::vector<Token> long_prompt(40, 9);
  device->begin({{2, long_prompt}}, ConstantPolicy(2));
  while (device->round()) {
  }
  EXPECT_EQ(decode(*device, 1, 3).output_ids, first.output_ids);
}

TEST_F(DeviceRounds, NoticeLogitsThatAreNoNumbers) {
  target_ = std::make_shared<cuda::LlamaCuda>(
      small_config(), *testing::tiny_weights(small_config(), {.scale = 1e38f}),
      std::make_shared<cuda::Device>());
  for (const double temperature : temperatures())
    EXPECT_THROW(decode(*on_device(options("plain", temperature)), 1, 0), ModelFileError)
        << temperature;
}

TEST_F(DeviceRounds, RefuseWhatTheyDoNotSupport) {
  DecoderOptions wrong = options("small_transformer", 1.0);
  wrong.verifier = "block";
  EXPECT_THROW(on_device(wrong), ConfigError);
  wrong = options("small_transformer", 1.0);
  wrong.sampling.top_p = 0.9;
  EXPECT_THROW(on_device(wrong), ConfigError);
  wrong = options("plain", 0.0);
  wrong.log_probabilities = true;
  EXPECT_THROW(on_device(wrong), ConfigError);
  const auto decoder = on_device(options("plain", 0.0));
  EXPECT_THROW(decoder->begin({{0, {1}}, {1, {1}}}, ConstantPolicy(0)), ConfigError);
}

}  // namespace
}  // namespace speclab::engines
