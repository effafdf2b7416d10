// Rounds on the device against the host's rounds over the same models: the same tokens from the same draws.

#include <gtest/gtest.h>

#include <array>

#include "engines/cuda/device_round_decoder.h"
#include "engines/cuda/philox.h"
#include "engines/decoding/host_round_decoder.h"
#include "engines/decoding/plain_decoder.h"
#include "engines/drafters/drafters.h"
#include "engines/verifiers/verifier.h"
#include "sim/core/errors.h"
#include "sim/core/policies/constant_policy.h"
#include "sim/core/rng_stream.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

TEST(DevicePhilox, IsTheProjectsGenerator) {
  const RngStream stream(0x123456789abcdefull);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const StreamKey key{i * 7919, i * 104729, static_cast<Purpose>(i % 4), round_draw(i, i % 4096)};
    EXPECT_EQ(cuda::philox_uniform(stream.seed(), key.sequence, key.position, i % 4, i << cuda::kNodeBits | i % 4096), stream.uniform(key));
  }
  EXPECT_EQ(static_cast<std::uint32_t>(Purpose::target), cuda::kTargetDraw);
  EXPECT_EQ(static_cast<std::uint32_t>(Purpose::draft), cuda::kDraftDraw);
  EXPECT_EQ(static_cast<std::uint32_t>(Purpose::accept), cuda::kAcceptDraw);
  EXPECT_EQ(static_cast<std::uint32_t>(Purpose::recover), cuda::kRecoverDraw);
}

LlamaConfig small_config() {
  LlamaConfig config;
  config.name = "small";
  config.vocab_size = 131;
  config.context_length = 256;
  config.num_layers = 2;
  config.hidden_size = 64;
  config.intermediate_size = 96;
  config.num_heads = 2;
  config.num_kv_heads = 1;
  config.head_dim = 32;
  return config;
}

class DeviceRounds : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::device_is_there()) GTEST_SKIP() << "no CUDA device is here";
    const auto device = std::make_shared<cuda::Device>();
    target_ = std::make_shared<cuda::LlamaCuda>(small_config(), *testing::tiny_weights(small_config(), {.scale = 6.0f}), device);
    drafter_ = std::make_shared<cuda::LlamaCuda>(small_config(), *testing::tiny_weights(small_config(), {.scale = 6.0f, .foreign = 0.25f}), device);
  }

  static DecoderOptions options(const char* kind, double temperature, std::int32_t max_new_tokens = 16) {
    DecoderOptions options;
    options.drafter.kind = kind;
    options.sampling.temperature = temperature;
    options.stop = {max_new_tokens, true, {}};
    options.seed = 11;
    return options;
  }

  std::unique_ptr<RoundDecoder> on_host(const DecoderOptions& options) {
    if (options.drafter.kind == "plain") return std::make_unique<PlainDecoder>(*target_, nullptr, options);
    return std::make_unique<HostRoundDecoder>(*target_, nullptr, options, make_small_transformer_drafter(drafter_, options), make_verifier(options));
  }
  std::unique_ptr<RoundDecoder> on_device(const DecoderOptions& options) {
    return std::make_unique<cuda::DeviceRoundDecoder>(*target_, nullptr, options, options.drafter.kind == "small_transformer" ? drafter_ : nullptr);
  }

  static GenerationRecord decode(RoundDecoder& decoder, std::uint32_t sequence, const SpeculationLengthPolicy& policy, std::size_t prompt_length = 4) {
    std::vector<Token> prompt(prompt_length, 9);
    prompt.back() = static_cast<Token>(sequence);
    decoder.begin({{sequence, prompt}}, policy);
    while (decoder.round()) {}
    return decoder.records().front();
  }

  static GenerationRecord decode(RoundDecoder& decoder, std::uint32_t sequence, std::int32_t length) { return decode(decoder, sequence, ConstantPolicy(length)); }

  int expect_equal(const DecoderOptions& options, std::int32_t length) { return expect_equal(options, ConstantPolicy(length)); }

  /// @return drafted tokens accepted
  int expect_equal(const DecoderOptions& options, const SpeculationLengthPolicy& policy, std::size_t prompt_length = 4) {
    int accepted = 0;
    const auto host = on_host(options), device = on_device(options);
    for (const std::uint32_t sequence : {0U, 1U}) {
      const GenerationRecord a = decode(*host, sequence, policy, prompt_length), b = decode(*device, sequence, policy, prompt_length);
      EXPECT_EQ(a.output_ids, b.output_ids);
      EXPECT_EQ(a.fates, b.fates);
      EXPECT_EQ(a.rounds.size(), b.rounds.size());
      for (std::size_t i = 0; i < std::min(a.rounds.size(), b.rounds.size()); ++i) {
        const RoundRecord &x = a.rounds[i], &y = b.rounds[i];
        EXPECT_EQ(std::tuple(x.round, x.position, x.drafted, x.rows, x.depth, x.accepted, x.tested, x.emitted, x.next_kind),
                  std::tuple(y.round, y.position, y.drafted, y.rows, y.depth, y.accepted, y.tested, y.emitted, y.next_kind)) << "round " << i;
        accepted += x.accepted;
      }
    }
    return accepted;
  }

  std::shared_ptr<cuda::LlamaCuda> target_, drafter_;
};

TEST_F(DeviceRounds, PlainDecodingIsTheHosts) {
  for (const double temperature : {0.0, 1.0}) expect_equal(options("plain", temperature), 0);
}

TEST_F(DeviceRounds, GreedyRoundsAreTheHostsAndPlainDecodings) {
  const GenerationRecord plain = decode(*on_device(options("plain", 0.0)), 1, 0);
  for (const std::int32_t length : {0, 1, 4}) {
    const int accepted = expect_equal(options("small_transformer", 0.0), length);
    EXPECT_EQ(accepted > 0, length > 0);
    EXPECT_EQ(decode(*on_device(options("small_transformer", 0.0)), 1, length).output_ids, plain.output_ids) << "length " << length;
  }
}

TEST_F(DeviceRounds, SampledRoundsAreTheHosts) {
  for (const double temperature : {0.7, 1.0})
    for (const std::int32_t length : {1, 3}) EXPECT_GT(expect_equal(options("small_transformer", temperature), length), 0) << temperature;
}

/// Lengths in turn: rounds without a draft leave the drafter behind.
class TurningPolicy final : public SpeculationLengthPolicy {
 public:
  int next_length() override { return std::array{3, 0, 0, 0, 2}[turn_++ % 5]; }
  void observe(const RoundRecord&) override {}
  std::unique_ptr<SpeculationLengthPolicy> fresh() const override { return std::make_unique<TurningPolicy>(); }
  std::string name() const override { return "turning"; }

 private:
  std::size_t turn_ = 0;
};

TEST_F(DeviceRounds, RoundsWithoutADraftLeaveNoGapInTheDraftersCache) {
  for (const double temperature : {0.0, 1.0}) EXPECT_GT(expect_equal(options("small_transformer", temperature), TurningPolicy()), 0);
}

TEST_F(DeviceRounds, AreTheHostsAcrossTheBorderOfTwoSplits) {
  EXPECT_GT(expect_equal(options("small_transformer", 1.0), ConstantPolicy(3), 120), 0);
}

TEST_F(DeviceRounds, DraftNothingBeyondTheDraftersContext) {
  LlamaConfig short_context = small_config();
  short_context.context_length = 12;
  drafter_ = std::make_shared<cuda::LlamaCuda>(short_context, *testing::tiny_weights(short_context, {.scale = 6.0f, .foreign = 0.25f}), std::make_shared<cuda::Device>());
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
  while (device->round()) {}
  EXPECT_EQ(decode(*device, 1, 3).output_ids, first.output_ids);
}

TEST_F(DeviceRounds, NoticeLogitsThatAreNoNumbers) {
  target_ = std::make_shared<cuda::LlamaCuda>(small_config(), *testing::tiny_weights(small_config(), {.scale = 1e38f}), std::make_shared<cuda::Device>());
  for (const double temperature : {0.0, 1.0}) EXPECT_THROW(decode(*on_device(options("plain", temperature)), 1, 0), ModelFileError) << temperature;
}

TEST_F(DeviceRounds, RefuseWhatTheyDoNotSupport) {
  DecoderOptions wrong = options("small_transformer", 1.0);
  wrong.verifier = "block";
  EXPECT_THROW(on_device(wrong), ConfigError);
  wrong = options("small_transformer", 1.0);
  wrong.sampling.top_p = 0.9;
  EXPECT_THROW(on_device(wrong), ConfigError);
  wrong = options("small_transformer", 0.0);
  wrong.drafter.tree = "2,2";
  EXPECT_THROW(on_device(wrong), ConfigError);
  EXPECT_THROW(on_device(options("prompt_lookup", 0.0)), ConfigError);
  const auto decoder = on_device(options("plain", 0.0));
  EXPECT_THROW(decoder->begin({{0, {1}}, {1, {1}}}, ConstantPolicy(0)), ConfigError);
}

}  // namespace
}  // namespace speclab::engines
