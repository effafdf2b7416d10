#pragma once
// A target and a drafter on the device, and their rounds there beside the host's over the same
// models.

#include <gtest/gtest.h>

#include <array>

#include "engines/cuda/device_round_decoder.h"
#include "engines/decoding/host_round_decoder.h"
#include "engines/decoding/plain_decoder.h"
#include "engines/drafters/drafters.h"
#include "engines/interface/device_round_checks.h"
#include "engines/verifiers/verifier.h"
#include "sim/policies/simple_policies.h"
#include "tests/engines/drafters/ngram_drafting.h"
#include "tests/engines/models/tiny_llama.h"
#include "tests/support/test_size.h"

namespace speclab::engines::testing {

inline DecoderShape small_config() {
  DecoderShape config;
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

/// A drafter of every third token.
inline DecoderShape drafter_of_some_tokens() {
  DecoderShape config = small_config();
  for (Token token = 0; token < config.vocab_size; token += 3)
    config.draft_vocabulary.push_back(token);
  return config;
}

/// Lengths in turn: rounds without a draft leave the drafter behind.
class TurningPolicy final : public SpeculationLengthPolicy {
 public:
  int next_length() override { return std::array{3, 0, 0, 0, 2}[turn_++ % 5]; }
  void observe(const RoundRecord&) override {}
  std::unique_ptr<SpeculationLengthPolicy> fresh() const override {
    return std::make_unique<TurningPolicy>();
  }
  std::string name() const override { return "turning"; }

 private:
  std::size_t turn_ = 0;
};

class DeviceRounds : public ::testing::Test, protected DrafterModels {
 protected:
  std::shared_ptr<LanguageModel> language_model(const std::string&, const std::string&) override {
    return drafter_;
  }
  std::shared_ptr<MlpSpeculator> mlp_speculator(const std::string&) override { return nullptr; }
  /// Of texts that the fixture's prompts resemble.
  std::shared_ptr<const NgramModel> ngrams(const std::string&, const std::string&) override {
    if (!ngrams_) ngrams_ = ngrams_of(ngram_texts_, target_->info().vocab_size, {.order = 3});
    return ngrams_;
  }

  /// The greedy one is left out where tests are quick: device and host then take equal draws.
  static std::vector<double> temperatures() {
    const std::vector<double> both{0.0, 1.0};
    return speclab::testing::by_size(std::vector<double>{1.0}, both, both);
  }

  void SetUp() override {
    if (!cuda::device_is_there()) GTEST_SKIP() << "no CUDA device is here";
    load(small_config());
  }

  void load(const DecoderShape& config) { load(config, config); }
  void load(const DecoderShape& of_target, const DecoderShape& of_drafter,
            std::optional<std::int64_t> resident_bytes = {}) {
    device_ = std::make_shared<cuda::Device>();
    target_ = std::make_shared<cuda::LlamaCuda>(
        of_target, *tiny_weights(of_target, {.scale = 6.0f}), device_, resident_bytes);
    drafter_ = std::make_shared<cuda::LlamaCuda>(
        of_drafter, *tiny_weights(of_drafter, {.scale = 6.0f, .foreign = 0.25f}), device_);
  }

  /// The drafter reads the target's states. @param features  as tiny_feature_config has it
  void load_features(const DecoderShape& of_target, std::int32_t features) {
    load(of_target);
    const TinyWeightsOptions weights{.scale = 6.0f};
    drafter_ = std::make_shared<cuda::LlamaCuda>(
        tiny_feature_config(of_target, features),
        *tiny_feature_weights(of_target, weights, features), device_);
  }

  static DecoderOptions options(const char* kind, double temperature,
                                std::int32_t max_new_tokens = 16) {
    DecoderOptions options;
    options.drafter.kind = kind;
    options.sampling.temperature = temperature;
    options.stop = {max_new_tokens, true, {}};
    options.seed = 11;
    return options;
  }

  std::unique_ptr<RoundDecoder> on_host(const DecoderOptions& options) {
    if (options.drafter.kind == "plain")
      return std::make_unique<PlainDecoder>(*target_, nullptr, options);
    return std::make_unique<HostRoundDecoder>(*target_, nullptr, options,
                                              make_drafter(options, target_->info(), *this),
                                              make_verifier(options));
  }
  std::unique_ptr<RoundDecoder> on_device(const DecoderOptions& options) {
    cuda::DeviceDrafter drafter;
    if (drafts_on_device(options.drafter))
      drafter.model = drafter_;
    else if (options.drafter.traits().drafts() && !options.drafter.reads_layers())
      drafter.on_host = make_drafter(options, target_->info(), *this);
    return std::make_unique<cuda::DeviceRoundDecoder>(*target_, nullptr, options,
                                                      std::move(drafter));
  }

  static GenerationRecord decode(RoundDecoder& decoder, std::uint32_t sequence,
                                 const SpeculationLengthPolicy& policy,
                                 std::size_t prompt_length = 4) {
    std::vector<Token> prompt(prompt_length, 9);
    prompt.back() = static_cast<Token>(sequence);
    decoder.begin({{sequence, prompt}}, policy);
    while (decoder.round()) {
    }
    return decoder.records().front();
  }

  static GenerationRecord decode(RoundDecoder& decoder, std::uint32_t sequence,
                                 std::int32_t length) {
    return decode(decoder, sequence, ConstantPolicy(length));
  }

  int expect_equal(const DecoderOptions& options, std::int32_t length) {
    return expect_equal(options, ConstantPolicy(length));
  }

  /// @return drafted tokens accepted
  int expect_equal(const DecoderOptions& options, const SpeculationLengthPolicy& policy,
                   std::size_t prompt_length = 4) {
    int accepted = 0;
    const auto host = on_host(options), device = on_device(options);
    for (const std::uint32_t sequence : sequences_) {
      const GenerationRecord a = decode(*host, sequence, policy, prompt_length),
                             b = decode(*device, sequence, policy, prompt_length);
      EXPECT_EQ(a.output_ids, b.output_ids);
      EXPECT_EQ(a.fates, b.fates);
      EXPECT_EQ(a.rounds.size(), b.rounds.size());
      EXPECT_EQ(a.read.target, b.read.target);
      EXPECT_EQ(a.read.draft > 0, b.read.draft > 0) << "a bound: the device reads a prompt apart";
      for (std::size_t i = 0; i < std::min(a.rounds.size(), b.rounds.size()); ++i) {
        const RoundRecord &x = a.rounds[i], &y = b.rounds[i];
        EXPECT_EQ(std::tuple(x.round, x.position, x.drafted, x.rows, x.depth, x.accepted, x.tested,
                             x.emitted, x.next_kind),
                  std::tuple(y.round, y.position, y.drafted, y.rows, y.depth, y.accepted, y.tested,
                             y.emitted, y.next_kind))
            << "round " << i;
        accepted += x.accepted;
      }
    }
    return accepted;
  }

  std::shared_ptr<const cuda::Device> device_;  ///< of both, since a graph has one stream
  std::shared_ptr<cuda::LlamaCuda> target_, drafter_;
  std::shared_ptr<const NgramModel> ngrams_;
  std::vector<std::uint32_t> sequences_{0, 1};  ///< that expect_equal decodes
  std::vector<std::vector<Token>> ngram_texts_{{9, 9, 9, 9, 0, 9, 9, 1, 9, 9}};
};

}  // namespace speclab::engines::testing
