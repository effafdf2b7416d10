#pragma once
// Small models of every head size that the device has kernels for, and groups of heads of every
// kind.

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "engines/cuda/llama_cuda.h"
#include "tests/engines/models/tiny_llama.h"
#include "tests/support/test_size.h"

namespace speclab::engines::testing {

inline DecoderShape head_size_config(std::int32_t head_dim, std::int32_t heads,
                                     std::int32_t kv_heads, bool tied) {
  DecoderShape config;
  config.name = "small";
  config.vocab_size = 263;  // no multiple of 16
  config.context_length = 1024;
  config.num_layers = 3;
  config.hidden_size = 96;
  config.intermediate_size = 160;
  config.num_heads = heads;
  config.num_kv_heads = kv_heads;
  config.head_dim = head_dim;
  config.tied_embeddings = tied;
  return config;
}

inline const std::vector<DecoderShape>& head_size_configs() {
  static const std::vector<DecoderShape> all{
      head_size_config(32, 3, 3, true), head_size_config(64, 6, 2, false),
      head_size_config(128, 4, 1, true), head_size_config(64, 9, 3, true)};
  return all;
}

/// Places among them: those of a quick test, or all of a longer one.
inline std::vector<int> head_sizes(std::vector<int> quick, std::vector<int> all) {
  return speclab::testing::by_size(quick, all, all);
}

/// The parameter is a model's place among head_size_configs().
class EveryHeadSize : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!cuda::device_is_there()) GTEST_SKIP() << "no CUDA device is here";
    weights_ = tiny_weights(config());
    device_ = std::make_shared<cuda::Device>();
    fast_ = std::make_unique<cuda::LlamaCuda>(config(), *weights_, device_);
  }
  const DecoderShape& config() const {
    return head_size_configs()[static_cast<std::size_t>(GetParam())];
  }
  std::vector<Token> random_tokens(std::size_t count) {
    return testing::random_tokens(random_, config().vocab_size, count);
  }

  std::mt19937 random_{7};
  std::unique_ptr<DecoderWeights> weights_;
  std::shared_ptr<cuda::Device> device_;
  std::unique_ptr<LanguageModel> fast_;
};

}  // namespace speclab::engines::testing
