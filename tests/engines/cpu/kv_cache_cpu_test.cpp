#include "engines/cpu/kv_cache_cpu.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using testing::commit_all;
using testing::logits_of;

std::vector<Token> joined(std::vector<Token> a, const std::vector<Token>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class CpuCache : public ::testing::Test {
 protected:
  std::vector<Token> tokens(std::size_t count) {
    return testing::random_tokens(random_, config_.vocab_size, count);
  }

  std::mt19937 random_{11};
  DecoderShape config_ = testing::tiny_config();
  std::unique_ptr<LanguageModel> model_ = testing::tiny_model(config_);
  std::unique_ptr<KvCache> cache_ = model_->make_cache(2, 64);
  std::int32_t slot_ = cache_->begin();
};

TEST_F(CpuCache, ForkGoesItsOwnWay) {
  const auto prefix = tokens(21), left = tokens(4), right = tokens(6);
  commit_all(*model_, *cache_, slot_, prefix);
  const std::int32_t fork = cache_->fork(slot_);
  EXPECT_NE(fork, slot_);
  EXPECT_EQ(cache_->length(fork), 21);
  EXPECT_EQ(commit_all(*model_, *cache_, slot_, left).back(),
            logits_of(*model_, joined(prefix, left)).back());
  EXPECT_EQ(commit_all(*model_, *cache_, fork, right).back(),
            logits_of(*model_, joined(prefix, right)).back());
}

TEST_F(CpuCache, TruncatedSequenceContinuesFromWhereItWasCut) {
  const auto text = tokens(30), after = tokens(3);
  commit_all(*model_, *cache_, slot_, text);
  cache_->truncate(slot_, 18);
  const std::vector<Token> kept(text.begin(), text.begin() + 18);
  EXPECT_EQ(commit_all(*model_, *cache_, slot_, after).back(),
            logits_of(*model_, joined(kept, after)).back());
}

TEST_F(CpuCache, ReleasedSlotLeavesNothingBehind) {
  const auto text = tokens(9);
  commit_all(*model_, *cache_, slot_, tokens(40));
  cache_->release(slot_);
  const std::int32_t again = cache_->begin();
  EXPECT_EQ(again, slot_);
  EXPECT_EQ(commit_all(*model_, *cache_, again, text).back(), logits_of(*model_, text).back());
}

TEST_F(CpuCache, UncommittedRowsAreForgotten) {
  const auto prefix = tokens(5), after = tokens(2);
  commit_all(*model_, *cache_, slot_, prefix);
  model_->forward(testing::chain_rows(tokens(12), slot_, 5), *cache_);
  EXPECT_EQ(cache_->length(slot_), 5);
  EXPECT_EQ(commit_all(*model_, *cache_, slot_, after).back(),
            logits_of(*model_, joined(prefix, after)).back());
}

TEST_F(CpuCache, FillsUpToItsCapacityAndNoFurther) {
  EXPECT_GE(cache_->capacity(), 64);
  const auto text = tokens(static_cast<std::size_t>(cache_->capacity()));
  EXPECT_EQ(commit_all(*model_, *cache_, slot_, text).back(), logits_of(*model_, text).back());
  EXPECT_THROW(commit_all(*model_, *cache_, slot_, tokens(1)), ContractError);
}

TEST_F(CpuCache, RefusesTooManySequencesAndNoRows) {
  cache_->begin();
  EXPECT_THROW(cache_->begin(), ContractError);
  EXPECT_THROW(cache_->fork(slot_), ContractError);
  EXPECT_THROW(model_->forward({}, *cache_), ContractError);
}

}  // namespace
}  // namespace speclab::engines
