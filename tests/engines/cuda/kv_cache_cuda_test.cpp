// The device's cache at its ends, and after any history of drafts that were accepted, rejected and taken back.

#include "engines/cuda/kv_cache_cuda.h"

#include <gtest/gtest.h>

#include "engines/cuda/llama_cuda.h"
#include "engines/decoding/commit_chain.h"
#include "engines/models/torch/llama_torch.h"
#include "sim/core/errors.h"
#include "tests/engines/cuda/random_tree.h"
#include "tests/engines/cuda/relative_distance.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using cuda::relative_distance;
using testing::chain_rows;
using testing::commit_all;

LlamaConfig small_config(std::int32_t layers, std::int32_t context) {
  LlamaConfig config;
  config.name = "small";
  config.vocab_size = 61;
  config.context_length = context;
  config.num_layers = layers;
  config.hidden_size = 32;
  config.intermediate_size = 64;
  config.num_heads = 2;
  config.num_kv_heads = 1;
  config.head_dim = 32;
  return config;
}

constexpr double kTolerance = 0.12;  ///< of a row's root mean square: 2^-9 of weights and activations over a few products

class CacheOfTheDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::device_is_there()) GTEST_SKIP() << "no CUDA device is here";
    load(small_config(1, 256));
  }
  void load(const LlamaConfig& config) {
    config_ = config;
    const auto weights = testing::tiny_weights(config);
    fast_ = std::make_unique<cuda::LlamaCuda>(config, *weights, std::make_shared<cuda::Device>());
    slow_ = std::make_unique<LlamaTorch>(config, *weights, "cpu", "float32");
  }
  std::vector<Token> random_tokens(std::size_t count) { return testing::random_tokens(random_, config_.vocab_size, count); }

  /// A random draft behind the committed tokens, of which a random path is accepted, or nothing.
  void draft_and_accept(KvCache& cache, std::int32_t slot, std::vector<Token>& tokens, const std::vector<int>& parents) {
    const auto drafted = random_tokens(parents.size());
    std::vector<ForwardRow> rows;
    for (std::size_t i = 0; i < drafted.size(); ++i)
      rows.push_back({drafted[i], parents[i] < 0 ? cache.length(slot) : rows[static_cast<std::size_t>(parents[i])].position + 1, slot, parents[i] < 0 ? ForwardRow::kCommitted : parents[i]});
    fast_->forward(rows, cache);
    const auto path = cuda::path_to(parents, static_cast<int>(random_() % (parents.size() + 1)) - 1);
    cache.commit(slot, path);
    for (const int row : path) tokens.push_back(drafted[static_cast<std::size_t>(row)]);
  }

  void expect_as_fresh(KvCache& cache, std::int32_t slot, const std::vector<Token>& tokens, int script) {
    ASSERT_EQ(cache.length(slot), static_cast<std::int32_t>(tokens.size()));
    const auto fresh = fast_->make_cache(1, cache.capacity());
    const std::int32_t fresh_slot = fresh->begin();
    commit_all(*fast_, *fresh, fresh_slot, tokens);
    const auto after = random_tokens(2);
    EXPECT_EQ(commit_all(*fast_, cache, slot, after), commit_all(*fast_, *fresh, fresh_slot, after)) << "script " << script;
  }

  LlamaConfig config_;
  std::mt19937 random_{51};
  std::unique_ptr<LanguageModel> fast_, slow_;
};

/// In one layer keys and values depend on token and position alone, so that nothing but a wrong slot makes a difference.
TEST_F(CacheOfTheDevice, IsBitEqualToAFreshOneAfterAnyScriptOfTrees) {
  for (int script = 0; script < 50; ++script) {
    const auto cache = fast_->make_cache(2, 192);
    if (script % 2 == 1) commit_all(*fast_, *cache, cache->begin(), random_tokens(3));
    const std::int32_t slot = cache->begin();
    std::vector<Token> tokens = random_tokens(script % 5 == 0 ? 100 + random_() % 28 : 1 + random_() % 9);
    commit_all(*fast_, *cache, slot, tokens);
    for (int round = 0; round < 4; ++round) {
      draft_and_accept(*cache, slot, tokens, cuda::random_tree(random_, 1 + static_cast<int>(random_() % 12)));
      if (random_() % 4 != 0) continue;
      tokens.resize(tokens.size() - random_() % std::min<std::size_t>(3, tokens.size()));
      cache->truncate(slot, static_cast<std::int32_t>(tokens.size()));
    }
    expect_as_fresh(*cache, slot, tokens, script);
  }
}

TEST_F(CacheOfTheDevice, IsBitEqualToAFreshOneAfterAnyScriptOfChainsThroughSeveralLayers) {
  load(small_config(3, 256));
  for (int script = 0; script < 12; ++script) {
    const auto cache = fast_->make_cache(1, 192);
    const std::int32_t slot = cache->begin();
    std::vector<Token> tokens = random_tokens(script % 4 == 0 ? 120 : 3);
    commit_all(*fast_, *cache, slot, tokens);
    for (int round = 0; round < 4; ++round) {
      std::vector<int> parents;
      for (int i = 0; i < 1 + script; ++i) parents.push_back(i - 1);
      draft_and_accept(*cache, slot, tokens, parents);
    }
    expect_as_fresh(*cache, slot, tokens, script);
  }
}

TEST_F(CacheOfTheDevice, HoldsTheLastPositionOfTheContextAndRefusesOneMore) {
  constexpr std::int32_t kContext = 131;  // no multiple of a split's keys
  load(small_config(2, kContext));
  const auto tokens = random_tokens(kContext);
  const auto fast_cache = fast_->make_cache(1, kContext), slow_cache = slow_->make_cache(1, kContext);
  const std::int32_t slot = fast_cache->begin();
  commit_all(*fast_, *fast_cache, slot, std::span(tokens).first(kContext - 1));
  const auto last = commit_all(*fast_, *fast_cache, slot, std::span(tokens).last(1));
  const auto reference = commit_all(*slow_, *slow_cache, slow_cache->begin(), tokens);
  EXPECT_LT(relative_distance(last.front(), reference.back()), kTolerance);
  EXPECT_EQ(fast_cache->length(slot), fast_cache->capacity());
  EXPECT_THROW(commit_all(*fast_, *fast_cache, slot, std::span(tokens).first(1)), ContractError);
  const auto longer = fast_->make_cache(1, kContext + 1);
  commit_all(*fast_, *longer, longer->begin(), tokens);
  EXPECT_THROW(commit_all(*fast_, *longer, 0, std::span(tokens).first(1)), ContractError) << "a position outside the context";
}

TEST_F(CacheOfTheDevice, TakesADraftIntoItsLastSlotsAndRefusesOneThatIsLonger) {
  constexpr std::int32_t kCapacity = 133;
  const auto cache = fast_->make_cache(2, kCapacity);
  std::vector<Token> tokens = random_tokens(kCapacity - 7);
  const std::int32_t slot = cache->begin(), other = cache->begin();
  commit_all(*fast_, *cache, slot, tokens);
  const auto beside = random_tokens(2);
  commit_all(*fast_, *cache, other, beside);
  EXPECT_THROW(fast_->forward(chain_rows(random_tokens(8), slot, cache->length(slot)), *cache), ContractError);
  draft_and_accept(*cache, slot, tokens, {-1, 0, 0, 1, 2, 2, 4});
  tokens.resize(std::min<std::size_t>(tokens.size(), kCapacity - 2));
  cache->truncate(slot, static_cast<std::int32_t>(tokens.size()));
  expect_as_fresh(*cache, slot, tokens, 0);
  expect_as_fresh(*cache, other, beside, 1);
}

TEST_F(CacheOfTheDevice, RefusesMoreSplitsThanAttentionCanJoin) {
  const std::int32_t most = 4 * config_.head_dim * cuda::kKeysPerSplit;
  EXPECT_NO_THROW(fast_->make_cache(1, most));
  try {
    fast_->make_cache(1, most + 1);
    FAIL() << "a cache of " << most + 1 << " tokens";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("up to " + std::to_string(most)), std::string::npos) << error.what();
  }
}

TEST_F(CacheOfTheDevice, GivesTheReferencesLogitsBehindMoreSplitsThanAWarpHasLanes) {
  constexpr std::int32_t kContext = 4300;
  load(small_config(1, kContext));
  const auto tokens = random_tokens(kContext);
  const auto fast_cache = fast_->make_cache(1, kContext), slow_cache = slow_->make_cache(1, kContext);
  const std::int32_t slot = fast_cache->begin();
  slow_cache->begin();
  const auto before = std::span(tokens).first(kContext - 5), after = std::span(tokens).last(5);
  commit_chain(*fast_, *fast_cache, slot, before);
  commit_chain(*slow_, *slow_cache, slot, before);
  const auto alone = [&] {
    std::vector<std::vector<float>> rows;
    for (const Token& token : after) rows.push_back(commit_all(*fast_, *fast_cache, slot, std::span(&token, 1)).front());
    return rows;
  }();
  fast_cache->truncate(slot, kContext - 5);
  EXPECT_EQ(commit_all(*fast_, *fast_cache, slot, after), alone);
  const auto reference = commit_all(*slow_, *slow_cache, slot, after);
  for (std::size_t i = 0; i < reference.size(); ++i) EXPECT_LT(relative_distance(alone[i], reference[i]), kTolerance) << i;
}

}  // namespace
}  // namespace speclab::engines
