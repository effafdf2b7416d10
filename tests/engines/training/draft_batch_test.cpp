#include "engines/training/torch/small_transformer_model.h"

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace speclab::engines {
namespace {

/// Of the tokens 0 to 19 the odd ones below ten can be drafted, as rows 0 to 4.
const std::vector<std::int32_t>& rows() {
  static const std::vector<std::int32_t> of_tokens = [] {
    std::vector<std::int32_t> rows(20, kNoRow);
    for (std::int32_t row = 0; row < 5; ++row) rows[static_cast<std::size_t>(2 * row + 1)] = row;
    return rows;
  }();
  return of_tokens;
}

/// All mass on one token; the other places of the law are tokens without mass.
TopLaw law_of(Token likeliest) {
  TopLaw law{};
  for (std::size_t k = 0; k < TopLaw::kSize; ++k) law.tokens[k] = 18;
  law.tokens[0] = likeliest;
  law.probabilities[0] = 0.5f;
  return law;
}

template <typename T>
std::vector<T> values(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.contiguous();
  return {flat.const_data_ptr<T>(), flat.const_data_ptr<T>() + flat.numel()};
}

/// Two texts: (3 | 5, 2) and (4, 7 | 9).
DraftBatch batch() {
  static const OwnText first{1, 1.0f, {3, 5, 2}, {law_of(5), law_of(7)}, {}},
      second{2, 1.0f, {4, 7, 9}, {law_of(6)}, {}};
  static const std::vector<const OwnText*> texts{&first, &second};
  return make_draft_batch(texts, rows());
}

TEST(DraftBatch, PadsTextsAndFindsThePlacesBeforeEmittedTokens) {
  const DraftBatch made = batch();
  EXPECT_EQ(values<std::int64_t>(made.tokens), (std::vector<std::int64_t>{3, 5, 2, 4, 7, 9}));
  EXPECT_EQ(made.tokens.size(0), 2);
  EXPECT_EQ(values<std::int64_t>(made.positions), (std::vector<std::int64_t>{0, 1, 4}));
}

TEST(DraftBatch, GivesWhatCannotBeDraftedNoWeight) {
  const DraftBatch made = batch();
  const auto top_rows = values<std::int64_t>(made.top_rows);
  const auto top_weights = values<float>(made.top_weights);
  ASSERT_EQ(top_rows.size(), 3 * TopLaw::kSize);
  const std::vector<std::int64_t> likeliest_rows{2, 3, 0};
  const std::vector<float> likeliest_weights{0.5f, 0.5f, 0.0f};  // token 6 has no row
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(top_rows[i * TopLaw::kSize], likeliest_rows[i]);
    EXPECT_EQ(top_weights[i * TopLaw::kSize], likeliest_weights[i]);
  }
  EXPECT_EQ(std::ranges::count(top_weights, 0.5f), 2);
}

/// 5 is in its law, 2 is not and has no row, 9 is not and has one.
TEST(DraftBatch, GivesAnEmittedTokenWeightOutsideItsLawOnly) {
  const DraftBatch made = batch();
  EXPECT_EQ(values<std::int64_t>(made.next_rows), (std::vector<std::int64_t>{2, 0, 4}));
  EXPECT_EQ(values<float>(made.next_weights), (std::vector<float>{0, 0, 1}));
}

TEST(DraftBatch, NamesALikeliestTokenThatCannotBeDraftedByNoRow) {
  EXPECT_EQ(values<std::int64_t>(batch().likeliest), (std::vector<std::int64_t>{2, 3, kNoRow}));
}

}  // namespace
}  // namespace speclab::engines
