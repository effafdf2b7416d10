#include "engines/models/wrapped_models.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// Gives 10 * token + i as logit i, and remembers what it read.
class CountingModel final : public LanguageModel {
 public:
  explicit CountingModel(std::int32_t vocab_size) { info_.vocab_size = vocab_size; }
  const ModelInfo& info() const override { return info_; }
  std::unique_ptr<KvCache> make_cache(std::int32_t, std::int32_t) override { return nullptr; }
  ForwardResult forward(std::span<const ForwardRow> rows, KvCache&) override {
    read.clear();
    logits_.clear();
    for (const ForwardRow& row : rows) {
      read.push_back(row.token);
      for (std::int32_t i = 0; i < info_.vocab_size; ++i)
        logits_.push_back(static_cast<float>(10 * row.token + i));
    }
    return {logits_, info_.vocab_size};
  }

  std::vector<Token> read;
  ModelInfo info_;

 private:
  std::vector<float> logits_;
};

class NoCache final : public KvCache {
  std::int32_t begin() override { return 0; }
  std::int32_t fork(std::int32_t) override { return 0; }
  void commit(std::int32_t, std::span<const std::int32_t>) override {}
  void keep(std::int32_t, std::span<const std::int32_t>) override {}
  void truncate(std::int32_t, std::int32_t) override {}
  void release(std::int32_t) override {}
  std::int32_t length(std::int32_t) const override { return 0; }
  std::int32_t capacity() const override { return 0; }
};

std::vector<float> row_of(const ForwardResult& result, std::size_t row) {
  const auto values = result.row(row);
  return {values.begin(), values.end()};
}

/// Defect: rows of a drafter with another padding are read across their borders, or a token that
/// it does not have reaches its embedding.
TEST(ResizedVocabulary, PadsWithWhatIsNeverDrawnAndReadsItsFirstTokenForOthers) {
  const auto inner = std::make_shared<CountingModel>(3);
  const auto model = with_vocabulary_size(inner, 5);
  NoCache cache;
  const std::vector<ForwardRow> rows = {{.token = 1}, {.token = 4}};
  const ForwardResult result = model->forward(rows, cache);
  EXPECT_EQ(model->info().vocab_size, 5);
  EXPECT_EQ(inner->read, (std::vector<Token>{1, 0}));
  const float none = -INFINITY;
  EXPECT_EQ(row_of(result, 0), (std::vector<float>{10, 11, 12, none, none}));
  EXPECT_EQ(row_of(result, 1), (std::vector<float>{0, 1, 2, none, none}));
}

/// Defect: a drafter with more rows drafts tokens that the target does not have.
TEST(ResizedVocabulary, CutsWhatTheTargetDoesNotHave) {
  const auto model = with_vocabulary_size(std::make_shared<CountingModel>(4), 2);
  NoCache cache;
  const std::vector<ForwardRow> rows = {{.token = 1}, {.token = 0}};
  const ForwardResult result = model->forward(rows, cache);
  EXPECT_EQ(row_of(result, 0), (std::vector<float>{10, 11}));
  EXPECT_EQ(row_of(result, 1), (std::vector<float>{0, 1}));
}

/// Defect: logits of a draft vocabulary are taken for those of the whole one.
TEST(ResizedVocabulary, TakesNoModelWithADraftVocabulary) {
  const auto inner = std::make_shared<CountingModel>(4);
  inner->info_.draft_vocabulary = {1, 2};
  EXPECT_THROW(with_vocabulary_size(inner, 5), ContractError);
}

}  // namespace
}  // namespace speclab::engines
