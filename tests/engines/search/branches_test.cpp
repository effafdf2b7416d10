// Branches of a cache: beams that share what they have in common.

#include <gtest/gtest.h>

#include <random>

#include "engines/models/row_plan.h"
#include "sim/core/errors.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

/// Beams over a tiny model, and the text of each.
class Branches : public ::testing::Test {
 protected:
  static constexpr std::int32_t kBeams = 3;

  void SetUp() override {
    model_ = testing::tiny_model(testing::tiny_config());
    cache_ = model_->make_cache(1, kCapacity);
    slot_ = cache_->begin();
    texts_.assign(kBeams, {7, 8, 9});
    testing::commit_all(*model_, *cache_, slot_, std::vector<Token>{7, 8});
  }

  /// The first forward reads one row for all beams; each later one a row a beam.
  ForwardResult forward() {
    std::vector<ForwardRow> rows;
    if (parents_.empty()) return model_->forward(std::vector<ForwardRow>{{9, 2, slot_}}, *cache_);
    for (std::size_t b = 0; b < texts_.size(); ++b)
      rows.push_back({texts_[b].back(), static_cast<std::int32_t>(texts_[b].size()) - 1, slot_,
                      ForwardRow::branch(parents_[b])});
    return model_->forward(rows, *cache_);
  }

  /// Beam b goes on from the text that row from[b] read.
  void go_on(const std::vector<std::int32_t>& from) {
    std::vector<std::int32_t> kept(from);
    std::ranges::sort(kept);
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    cache_->keep(slot_, kept);
    std::vector<std::vector<Token>> texts;
    parents_.clear();
    for (const std::int32_t row : from) {
      parents_.push_back(static_cast<std::int32_t>(std::ranges::find(kept, row) - kept.begin()));
      texts.push_back(texts_[static_cast<std::size_t>(row)]);
      texts.back().push_back(static_cast<Token>(random_() % 300));
    }
    texts_ = texts;
  }

  std::vector<float> logits_of(const std::vector<Token>& text) const {
    const auto cache = model_->make_cache(1, 128);
    return testing::commit_all(*model_, *cache, cache->begin(), text).back();
  }

  static constexpr std::int32_t kCapacity = 48;
  std::unique_ptr<LanguageModel> model_;
  std::unique_ptr<KvCache> cache_;
  std::int32_t slot_ = 0;
  std::vector<std::vector<Token>> texts_;
  std::vector<std::int32_t> parents_;  ///< branch of each beam
  std::mt19937 random_{5};
};

/// Defect: a beam that reads another's cache, a slot that is used twice, or gaps that are never
/// filled, so that the cache runs over.
TEST_F(Branches, GiveTheLogitsOfTheirOwnTexts) {
  for (int step = 0; step < 30; ++step) {
    const std::vector<std::vector<float>> rows = testing::copy_rows(forward());
    for (std::size_t b = 0; b < rows.size(); ++b)
      ASSERT_EQ(rows[b], logits_of(texts_[b])) << "step " << step << ", beam " << b;
    std::vector<std::int32_t> from(kBeams, 0);
    if (step > 0)
      for (std::int32_t& row : from) row = static_cast<std::int32_t>(random_() % kBeams);
    go_on(from);
  }
  EXPECT_GT(cache_->length(slot_), 20) << "what all beams share is committed";
}

TEST(BranchesOfAPlan, AreKeptOnceAndNotCommitted) {
  RowPlan plan(1, 16);
  const std::int32_t slot = plan.begin();
  const RowLimits limits{10, 100};
  plan.place(std::vector<ForwardRow>{{1, 0, slot}, {2, 0, slot}}, limits);
  plan.keep(slot, std::vector<std::int32_t>{0, 1});
  EXPECT_EQ(plan.length(slot), 0);
  EXPECT_THROW(plan.keep(slot, std::vector<std::int32_t>{0}), ContractError);
  EXPECT_THROW(plan.commit(slot, std::vector<std::int32_t>{}), ContractError);
  EXPECT_THROW(plan.place(std::vector<ForwardRow>{{3, 1, slot, ForwardRow::branch(2)}}, limits),
               ContractError);
  EXPECT_THROW(plan.place(std::vector<ForwardRow>{{3, 2, slot, ForwardRow::branch(0)}}, limits),
               ContractError)
      << "the branch holds one token";
}

}  // namespace
}  // namespace speclab::engines
