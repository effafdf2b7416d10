// The device's cache at its ends, and after any history of drafts that were accepted, rejected and
// taken back.

#include "engines/cuda/kv_cache_cuda.h"

#include <gtest/gtest.h>

#include "engines/cuda/llama_cuda.h"
#include "engines/models/commit_chain.h"
#include "sim/system/errors.h"
#include "tests/engines/cuda/cache_test_config.h"
#include "tests/engines/cuda/random_tree.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using testing::chain_rows;
using testing::commit_all;

class CacheOfTheDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::device_is_there()) GTEST_SKIP() << "no CUDA device is here";
    load(testing::cache_test_config(1, 256));
  }
  void load(const DecoderShape& config) {
    config_ = config;
    fast_ = std::make_unique<cuda::LlamaCuda>(config, *testing::tiny_weights(config),
                                              std::make_shared<cuda::Device>());
  }
  std::vector<Token> random_tokens(std::size_t count) {
    return testing::random_tokens(random_, config_.vocab_size, count);
  }

  /// A random draft behind the committed tokens, of which a random path is accepted, or nothing.
  void draft_and_accept(KvCache& cache, std::int32_t slot, std::vector<Token>& tokens,
                        const std::vector<int>& parents) {
    const auto drafted = random_tokens(parents.size());
    std::vector<ForwardRow> rows;
    for (std::size_t i = 0; i < drafted.size(); ++i)
      rows.push_back({drafted[i],
                      parents[i] < 0 ? cache.length(slot)
                                     : rows[static_cast<std::size_t>(parents[i])].position + 1,
                      slot, parents[i] < 0 ? ForwardRow::kCommitted : parents[i]});
    fast_->forward(rows, cache);
    const auto path =
        cuda::path_to(parents, static_cast<int>(random_() % (parents.size() + 1)) - 1);
    cache.commit(slot, path);
    for (const int row : path) tokens.push_back(drafted[static_cast<std::size_t>(row)]);
  }

  void expect_as_fresh(KvCache& cache, std::int32_t slot, const std::vector<Token>& tokens,
                       int script) {
    ASSERT_EQ(cache.length(slot), static_cast<std::int32_t>(tokens.size()));
    const auto fresh = fast_->make_cache(1, cache.capacity());
    const std::int32_t fresh_slot = fresh->begin();
    commit_all(*fast_, *fresh, fresh_slot, tokens);
    const auto after = random_tokens(2);
    EXPECT_EQ(commit_all(*fast_, cache, slot, after), commit_all(*fast_, *fresh, fresh_slot, after))
        << "script " << script;
  }

  DecoderShape config_;
  std::mt19937 random_{51};
  std::unique_ptr<LanguageModel> fast_;
};

/// In one layer keys and values depend on token and position alone, so that nothing but a wrong
/// slot makes a difference.
TEST_F(CacheOfTheDevice, IsBitEqualToAFreshOneAfterAnyScriptOfTrees) {
  for (int script = 0; script < 50; ++script) {
    const auto cache = fast_->make_cache(2, 192);
    if (script % 2 == 1) commit_all(*fast_, *cache, cache->begin(), random_tokens(3));
    const std::int32_t slot = cache->begin();
    std::vector<Token> tokens =
        random_tokens(script % 5 == 0 ? 100 + random_() % 28 : 1 + random_() % 9);
    commit_all(*fast_, *cache, slot, tokens);
    for (int round = 0; round < 4; ++round) {
      draft_and_accept(*cache, slot, tokens,
                       cuda::random_tree(random_, 1 + static_cast<int>(random_() % 12)));
      if (random_() % 4 != 0) continue;
      tokens.resize(tokens.size() - random_() % std::min<std::size_t>(3, tokens.size()));
      cache->truncate(slot, static_cast<std::int32_t>(tokens.size()));
    }
    expect_as_fresh(*cache, slot, tokens, script);
  }
}

TEST_F(CacheOfTheDevice, IsBitEqualToAFreshOneAfterAnyScriptOfChainsThroughSeveralLayers) {
  load(testing::cache_test_config(3, 256));
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

TEST_F(CacheOfTheDevice, TakesADraftIntoItsLastSlotsAndRefusesOneThatIsLonger) {
  constexpr std::int32_t kCapacity = 133;
  const auto cache = fast_->make_cache(2, kCapacity);
  std::vector<Token> tokens = random_tokens(kCapacity - 7);
  const std::int32_t slot = cache->begin(), other = cache->begin();
  commit_all(*fast_, *cache, slot, tokens);
  const auto beside = random_tokens(2);
  commit_all(*fast_, *cache, other, beside);
  EXPECT_THROW(fast_->forward(chain_rows(random_tokens(8), slot, cache->length(slot)), *cache),
               ContractError);
  draft_and_accept(*cache, slot, tokens, {-1, 0, 0, 1, 2, 2, 4});
  tokens.resize(std::min<std::size_t>(tokens.size(), kCapacity - 2));
  cache->truncate(slot, static_cast<std::int32_t>(tokens.size()));
  expect_as_fresh(*cache, slot, tokens, 0);
  expect_as_fresh(*cache, other, beside, 1);
}

}  // namespace
}  // namespace speclab::engines
