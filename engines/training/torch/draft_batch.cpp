#include "engines/training/torch/draft_batch.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace speclab::engines {
namespace {

/// One (row, weight) behind the other.
struct WeightedRows {
  std::vector<std::int64_t> rows;
  std::vector<float> weights;

  void add(std::int64_t row, float weight) {
    rows.push_back(std::max<std::int64_t>(row, 0));
    weights.push_back(row == kNoRow ? 0.0f : weight);
  }
};

class BatchBuilder {
 public:
  BatchBuilder(TrainingTask::Texts texts, std::span<const std::int32_t> rows)
      : rows_(rows), num_texts_(texts.size()) {
    for (const OwnText* text : texts) longest_ = std::max(longest_, text->tokens.size());
    for (const OwnText* text : texts) add(*text);
  }

  DraftBatch batch() const {
    const auto n = static_cast<std::int64_t>(positions_.size()),
               k = static_cast<std::int64_t>(TopLaw::kSize);
    return {at::tensor(tokens_).view(
                {static_cast<std::int64_t>(num_texts_), static_cast<std::int64_t>(longest_)}),
            at::tensor(positions_),
            at::tensor(top_.rows).view({n, k}),
            at::tensor(top_.weights).view({n, k}),
            at::tensor(next_.rows),
            at::tensor(next_.weights),
            at::tensor(likeliest_)};
  }

 private:
  std::int64_t row_of(Token token) const { return rows_[static_cast<std::size_t>(token)]; }

  void add(const OwnText& text) {
    const std::size_t begin = tokens_.size();
    for (std::size_t i = 0; i < text.laws.size(); ++i) {
      const std::size_t emitted = static_cast<std::size_t>(text.prompt_length) + i;
      positions_.push_back(static_cast<std::int64_t>(begin + emitted - 1));
      add_law(text.laws[i], text.tokens[emitted]);
    }
    tokens_.insert(tokens_.end(), text.tokens.begin(), text.tokens.end());
    tokens_.resize(begin + longest_, 0);
  }

  void add_law(const TopLaw& law, Token emitted) {
    next_.add(row_of(emitted),
              std::ranges::find(law.tokens, emitted) == std::end(law.tokens) ? 1.0f : 0.0f);
    for (std::size_t k = 0; k < TopLaw::kSize; ++k)
      top_.add(row_of(law.tokens[k]), law.probabilities[k]);
    likeliest_.push_back(row_of(law.tokens[0]));
  }

  std::span<const std::int32_t> rows_;
  std::size_t num_texts_, longest_ = 0;
  std::vector<std::int64_t> tokens_, positions_, likeliest_;
  WeightedRows top_, next_;
};

}  // namespace

DraftBatch make_draft_batch(TrainingTask::Texts texts, std::span<const std::int32_t> rows) {
  return BatchBuilder(texts, rows).batch();
}

DraftBatch on_device(const DraftBatch& batch, const at::Device& device) {
  return {batch.tokens.to(device),      batch.positions.to(device), batch.top_rows.to(device),
          batch.top_weights.to(device), batch.next_rows.to(device), batch.next_weights.to(device),
          batch.likeliest.to(device)};
}

}  // namespace speclab::engines
