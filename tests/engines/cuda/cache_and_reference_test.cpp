// The device's cache at its ends against the slow reference in float32.

#include <gtest/gtest.h>

#include <random>

#include "engines/cuda/llama_cuda.h"
#include "engines/models/commit_chain.h"
#include "engines/reference/decoder_torch.h"
#include "sim/system/errors.h"
#include "tests/engines/cuda/cache_test_config.h"
#include "tests/engines/cuda/relative_distance.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using cuda::relative_distance;
using testing::commit_all;

constexpr double kTolerance =
    0.12;  ///< of a row's root mean square: 2^-9 of weights and activations over a few products

class CacheAndReference : public ::testing::Test {
 protected:
  void load(const DecoderShape& config) {
    const auto weights = testing::tiny_weights(config);
    fast_ = std::make_unique<cuda::LlamaCuda>(config, *weights, std::make_shared<cuda::Device>());
    slow_ = std::make_unique<DecoderTorch>(config, *weights, "cpu", "float32");
    vocab_size_ = config.vocab_size;
  }
  std::vector<Token> random_tokens(std::size_t count) {
    return testing::random_tokens(random_, vocab_size_, count);
  }

  std::int32_t vocab_size_ = 0;
  std::mt19937 random_{51};
  std::unique_ptr<LanguageModel> fast_, slow_;
};

TEST_F(CacheAndReference, HoldsTheLastPositionOfTheContextAndRefusesOneMore) {
  constexpr std::int32_t kContext = 131;  // no multiple of a split's keys
  if (!cuda::device_is_there()) GTEST_SKIP() << "no CUDA device is here";
  load(testing::cache_test_config(2, kContext));
  const auto tokens = random_tokens(kContext);
  const auto fast_cache = fast_->make_cache(1, kContext),
             slow_cache = slow_->make_cache(1, kContext);
  const std::int32_t slot = fast_cache->begin();
  commit_all(*fast_, *fast_cache, slot, std::span(tokens).first(kContext - 1));
  const auto last = commit_all(*fast_, *fast_cache, slot, std::span(tokens).last(1));
  const auto reference = commit_all(*slow_, *slow_cache, slow_cache->begin(), tokens);
  EXPECT_LT(relative_distance(last.front(), reference.back()), kTolerance);
  EXPECT_EQ(fast_cache->length(slot), fast_cache->capacity());
  EXPECT_THROW(commit_all(*fast_, *fast_cache, slot, std::span(tokens).first(1)), ContractError);
  const auto longer = fast_->make_cache(1, kContext + 1);
  commit_all(*fast_, *longer, longer->begin(), tokens);
  EXPECT_THROW(commit_all(*fast_, *longer, 0, std::span(tokens).first(1)), ContractError)
      << "a position outside the context";
}

TEST_F(CacheAndReference, GivesTheReferencesLogitsBehindMoreSplitsThanAWarpHasLanes) {
  constexpr std::int32_t kContext = 4300;
  if (!cuda::device_is_there()) GTEST_SKIP() << "no CUDA device is here";
  load(testing::cache_test_config(1, kContext));
  const auto tokens = random_tokens(kContext);
  const auto fast_cache = fast_->make_cache(1, kContext),
             slow_cache = slow_->make_cache(1, kContext);
  const std::int32_t slot = fast_cache->begin();
  slow_cache->begin();
  const auto before = std::span(tokens).first(kContext - 5), after = std::span(tokens).last(5);
  commit_chain(*fast_, *fast_cache, slot, before);
  commit_chain(*slow_, *slow_cache, slot, before);
  const auto alone = [&] {
    std::vector<std::vector<float>> rows;
    for (const Token& token : after)
      rows.push_back(commit_all(*fast_, *fast_cache, slot, std::span(&token, 1)).front());
    return rows;
  }();
  fast_cache->truncate(slot, kContext - 5);
  EXPECT_EQ(commit_all(*fast_, *fast_cache, slot, after), alone);
  const auto reference = commit_all(*slow_, *slow_cache, slot, after);
  for (std::size_t i = 0; i < reference.size(); ++i)
    EXPECT_LT(relative_distance(alone[i], reference[i]), kTolerance) << i;
}

}  // namespace
}  // namespace speclab::engines
