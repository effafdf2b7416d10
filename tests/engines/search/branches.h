#pragma once
// Beams over a tiny model that fork and die at random, whatever cache keeps them.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines::testing {

/// Beams over a tiny model, and the text of each.
class Branches : public ::testing::Test {
 protected:
  static constexpr std::int32_t kBeams = 3;

  virtual std::unique_ptr<LanguageModel> make_model() const { return tiny_model(tiny_config()); }

  void SetUp() override {
    model_ = make_model();
    cache_ = model_->make_cache(1, kCapacity);
    slot_ = cache_->begin();
    texts_.assign(kBeams, {7, 8, 9});
    commit_all(*model_, *cache_, slot_, std::vector<Token>{7, 8});
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
    return commit_all(*model_, *cache, cache->begin(), text).back();
  }

  /// Runs 30 steps of beams that fork at random. @param tolerance  of a logit
  void expect_own_texts(float tolerance) {
    for (int step = 0; step < 30; ++step) {
      const std::vector<std::vector<float>> rows = copy_rows(forward());
      for (std::size_t b = 0; b < rows.size(); ++b) {
        const std::vector<float> expected = logits_of(texts_[b]);
        for (std::size_t i = 0; i < expected.size(); ++i)
          ASSERT_NEAR(rows[b][i], expected[i], tolerance) << "step " << step << ", beam " << b;
      }
      std::vector<std::int32_t> from(kBeams, 0);
      if (step > 0)
        for (std::int32_t& row : from) row = static_cast<std::int32_t>(random_() % kBeams);
      go_on(from);
    }
    EXPECT_GT(cache_->length(slot_), 20) << "what all beams share is committed";
  }

  static constexpr std::int32_t kCapacity = 48;
  std::unique_ptr<LanguageModel> model_;
  std::unique_ptr<KvCache> cache_;
  std::int32_t slot_ = 0;
  std::vector<std::vector<Token>> texts_;
  std::vector<std::int32_t> parents_;  ///< branch of each beam
  std::mt19937 random_{5};
};

}  // namespace speclab::engines::testing
