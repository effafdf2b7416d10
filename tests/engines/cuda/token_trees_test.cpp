// Random token trees through the device's model: against the slow reference, and against their
// paths fed as chains.

#include <gtest/gtest.h>

#include "engines/cuda/llama_cuda.h"
#include "engines/reference/decoder_torch.h"
#include "tests/engines/cuda/random_tree.h"
#include "tests/engines/cuda/relative_distance.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using cuda::relative_distance;
using testing::commit_all;
using testing::copy_rows;

DecoderShape small_config() {
  DecoderShape config;
  config.name = "small";
  config.vocab_size = 99;
  config.context_length = 256;
  config.num_layers = 2;
  config.hidden_size = 64;
  config.intermediate_size = 96;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  config.head_dim = 32;
  return config;
}

class TokenTrees : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::device_is_there()) GTEST_SKIP() << "no CUDA device is here";
    const auto weights = testing::tiny_weights(small_config());
    fast_ = std::make_unique<cuda::LlamaCuda>(small_config(), *weights,
                                              std::make_shared<cuda::Device>());
    slow_ = std::make_unique<DecoderTorch>(small_config(), *weights, "cpu", "float32");
  }

  std::vector<Token> random_tokens(std::size_t count) {
    return testing::random_tokens(random_, small_config().vocab_size, count);
  }

  std::vector<ForwardRow> random_rows(std::int32_t slot, std::int32_t prefix, int nodes) {
    parents_ = cuda::random_tree(random_, nodes);
    const auto tokens = random_tokens(parents_.size());
    std::vector<ForwardRow> rows;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const int parent = parents_[i];
      rows.push_back({tokens[i],
                      parent < 0 ? prefix : rows[static_cast<std::size_t>(parent)].position + 1,
                      slot, parent < 0 ? ForwardRow::kCommitted : parent});
    }
    return rows;
  }

  std::vector<Token> tokens_to(const std::vector<ForwardRow>& rows, int node) const {
    std::vector<Token> tokens;
    for (const int at : cuda::path_to(parents_, node))
      tokens.push_back(rows[static_cast<std::size_t>(at)].token);
    return tokens;
  }

  std::mt19937 random_{41};
  std::vector<int> parents_;
  std::unique_ptr<LanguageModel> fast_, slow_;
};

constexpr double kOfReference =
    0.12;  ///< of a row's root mean square: 2^-9 of weights and activations over a few products
constexpr double kOfChain =
    0.03;  ///< the same numbers in another order: roundings to bfloat16 that fell the other way

TEST_F(TokenTrees, AgreeWithTheReferenceAndWithTheirPathsAsChains) {
  for (const std::int32_t prefix : {1, 100, 127, 128}) {
    const auto before = random_tokens(static_cast<std::size_t>(prefix));
    for (const int nodes :
         {2, 3 + static_cast<int>(random_() % 14), 17 + static_cast<int>(random_() % 46), 63}) {
      const auto fast_cache = fast_->make_cache(2, 256), slow_cache = slow_->make_cache(1, 256);
      const std::int32_t slot = fast_cache->begin();
      commit_all(*fast_, *fast_cache, slot, before);
      commit_all(*slow_, *slow_cache, slow_cache->begin(), before);
      const auto rows = random_rows(slot, prefix, nodes);
      const auto fast = copy_rows(fast_->forward(rows, *fast_cache)),
                 slow = copy_rows(slow_->forward(rows, *slow_cache));
      ASSERT_EQ(fast.size(), slow.size());
      for (std::size_t row = 0; row < fast.size(); ++row)
        EXPECT_LT(relative_distance(fast[row], slow[row]), kOfReference)
            << "row " << row << " of " << nodes << " behind " << prefix;
      const int node = nodes - 1 - static_cast<int>(random_() % 2);
      const std::int32_t fork = fast_cache->fork(slot);
      const auto chain = commit_all(*fast_, *fast_cache, fork, tokens_to(rows, node));
      EXPECT_LT(relative_distance(fast[static_cast<std::size_t>(node)], chain.back()), kOfChain)
          << "node " << node << " of " << nodes << " behind " << prefix;
    }
  }
}

TEST_F(TokenTrees, GoOnBehindACommittedPathAsBehindAChain) {
  for (const std::int32_t prefix : {1, 100, 127, 128}) {
    const auto cache = fast_->make_cache(2, 256);
    const std::int32_t slot = cache->begin();
    commit_all(*fast_, *cache, slot, random_tokens(static_cast<std::size_t>(prefix)));
    const std::int32_t fork = cache->fork(slot);
    const auto rows = random_rows(slot, prefix, 40);
    fast_->forward(rows, *cache);
    cache->commit(slot, cuda::path_to(parents_, 39));
    commit_all(*fast_, *cache, fork, tokens_to(rows, 39));
    const auto after = random_tokens(3);
    const auto behind_tree = commit_all(*fast_, *cache, slot, after),
               behind_chain = commit_all(*fast_, *cache, fork, after);
    for (std::size_t i = 0; i < after.size(); ++i)
      EXPECT_LT(relative_distance(behind_tree[i], behind_chain[i]), kOfChain)
          << "token " << i << " behind " << prefix;
  }
}

}  // namespace
}  // namespace speclab::engines
