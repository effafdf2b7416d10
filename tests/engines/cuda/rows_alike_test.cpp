// The device's model against itself: other rows beside, a fork, a part of its vocabulary.

#include <limits>
#include <utility>

#include "tests/engines/cuda/every_head_size.h"

namespace speclab::engines {
namespace {

using speclab::testing::by_size;
using testing::commit_all;

class RowsAlike : public testing::EveryHeadSize {};

/// Weights with another head.
class RowsOfTheHead final : public DecoderWeights {
 public:
  RowsOfTheHead(const DecoderWeights& whole, std::vector<float> head)
      : whole_(whole), head_(std::move(head)) {}
  std::vector<float> read(TensorRole role, std::int32_t layer) const override {
    return role == TensorRole::head ? head_ : whole_.read(role, layer);
  }
  std::string sha256() const override { return whole_.sha256(); }

 private:
  const DecoderWeights& whole_;
  std::vector<float> head_;
};

/// The head of a draft vocabulary: the same products, and nothing elsewhere.
TEST_P(RowsAlike, HasTheLogitsOfItsDraftVocabularyOnly) {
  DecoderShape drafting = config();
  for (Token token = 2; token < drafting.vocab_size; token += 5)
    drafting.draft_vocabulary.push_back(token);
  const std::vector<float> table =
      weights_->read(drafting.tied_embeddings ? TensorRole::embedding : TensorRole::head, 0);
  const auto tokens = random_tokens(11);
  const std::vector<std::vector<float>> whole = testing::logits_of(*fast_, tokens);
  cuda::LlamaCuda drafter(
      drafting,
      RowsOfTheHead(*weights_, rows_of(drafting.draft_vocabulary, table, drafting.hidden_size)),
      device_);
  const std::vector<std::vector<float>> some = testing::logits_of(drafter, tokens);
  for (std::size_t row = 0; row < tokens.size(); ++row) {
    ASSERT_EQ(some[row].size(), whole[row].size());
    for (std::size_t token = 0; token < some[row].size(); ++token)
      EXPECT_EQ(some[row][token],
                token % 5 == 2 ? whole[row][token] : -std::numeric_limits<float>::infinity());
  }
}

TEST_P(RowsAlike, ARowIsBitEqualWhateverRowsAreBesideIt) {
  constexpr std::size_t kRows = 22;
  const std::size_t prefix_length =
      static_cast<std::size_t>(cuda::keys_per_split(config().head_dim)) -
      10;  // so that the rows cross the border of two splits
  const auto tokens = random_tokens(prefix_length + kRows);
  const auto cache = fast_->make_cache(1, static_cast<std::int32_t>(tokens.size()));
  const std::int32_t slot = cache->begin();
  commit_all(*fast_, *cache, slot, std::span(tokens).first(prefix_length));
  const auto last_rows = [&](std::size_t prefix, std::size_t at_once) {
    cache->truncate(slot, static_cast<std::int32_t>(prefix));
    std::vector<std::vector<float>> logits;
    for (std::size_t begin = prefix; begin < tokens.size(); begin += at_once)
      for (auto& row :
           commit_all(*fast_, *cache, slot,
                      std::span(tokens).subspan(begin, std::min(at_once, tokens.size() - begin))))
        logits.push_back(row);
    logits.erase(logits.begin(), logits.end() - kRows);
    return logits;
  };
  const auto one_by_one = last_rows(prefix_length, 1);
  using Sizes = std::vector<std::size_t>;
  for (const std::size_t at_once :
       by_size(Sizes{8, 9, 22}, Sizes{2, 8, 9, 16, 22}, Sizes{2, 5, 8, 9, 16, 22}))
    EXPECT_EQ(last_rows(prefix_length, at_once), one_by_one) << at_once << " rows at once";
  for (const std::size_t at_once : by_size(Sizes{140}, Sizes{140}, Sizes{27, 140}))
    EXPECT_EQ(last_rows(0, at_once), one_by_one) << at_once << " rows at once from the beginning";
}

TEST_P(RowsAlike, AForkGoesOnAlike) {
  const auto cache = fast_->make_cache(2, 64);
  const std::int32_t slot = cache->begin();
  commit_all(*fast_, *cache, slot, random_tokens(20));
  const std::int32_t fork = cache->fork(slot);
  const std::vector<Token> after{3, 2, 1};
  EXPECT_EQ(commit_all(*fast_, *cache, slot, after), commit_all(*fast_, *cache, fork, after));
}

INSTANTIATE_TEST_SUITE_P(HeadSizes, RowsAlike,
                         ::testing::ValuesIn(testing::head_sizes({0}, {0, 1, 2, 3})));

}  // namespace
}  // namespace speclab::engines
