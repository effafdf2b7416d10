#include "engines/models/commit_chain.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

/// Longer than two chunks of 512.
TEST(CommitChain, LeavesTheCacheAsOneForwardDoes) {
  DecoderShape config = testing::tiny_config();
  config.context_length = 2048;
  const auto model = testing::tiny_model(config);
  std::mt19937 random(2);
  for (const std::size_t length : {1U, 511U, 512U, 513U, 1100U}) {
    const auto text = testing::random_tokens(random, config.vocab_size, length);
    const auto cache = model->make_cache(1, 1200);
    const std::int32_t slot = cache->begin();
    const auto logits = testing::copy_rows(commit_chain_with_logits(*model, *cache, slot, {text}));
    EXPECT_EQ(cache->length(slot), static_cast<std::int32_t>(length));
    ASSERT_EQ(logits.size(), 1U);
    EXPECT_EQ(logits.front(), testing::logits_of(*model, text).back()) << length;
  }
}

TEST(CommitChain, AcceptsNothingButGivesNoLogitsForIt) {
  const auto model = testing::tiny_model(testing::tiny_config());
  const auto cache = model->make_cache(1, 16);
  const std::int32_t slot = cache->begin();
  commit_chain(*model, *cache, slot, {});
  EXPECT_EQ(cache->length(slot), 0);
  EXPECT_THROW(commit_chain_with_logits(*model, *cache, slot, ChainRows{}), ContractError);
}

}  // namespace
}  // namespace speclab::engines
