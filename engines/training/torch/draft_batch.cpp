#include "engines/training/torch/draft_batch.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <numeric>

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

}  // namespace

HeadRows::HeadRows(const LlamaConfig& config) : rows_(static_cast<std::size_t>(config.vocab_size), kNoRow) {
  if (config.draft_vocabulary.empty()) std::iota(rows_.begin(), rows_.end(), 0);
  for (std::size_t row = 0; row < config.draft_vocabulary.size(); ++row) rows_[static_cast<std::size_t>(config.draft_vocabulary[row])] = static_cast<std::int64_t>(row);
}

DraftBatch make_draft_batch(TrainingTask::Texts texts, const HeadRows& row_of) {
  std::size_t longest = 0;
  for (const OwnText* text : texts) longest = std::max(longest, text->tokens.size());
  std::vector<std::int64_t> tokens(texts.size() * longest, 0), positions, likeliest;
  WeightedRows top, next;
  for (std::size_t b = 0; b < texts.size(); ++b) {
    const OwnText& text = *texts[b];
    std::copy(text.tokens.begin(), text.tokens.end(), tokens.begin() + static_cast<std::ptrdiff_t>(b * longest));
    for (std::size_t i = 0; i < text.laws.size(); ++i) {
      const std::size_t emitted = static_cast<std::size_t>(text.prompt_length) + i;
      const TopLaw& law = text.laws[i];
      positions.push_back(static_cast<std::int64_t>(b * longest + emitted - 1));
      const bool in_top = std::find(std::begin(law.tokens), std::end(law.tokens), text.tokens[emitted]) != std::end(law.tokens);
      next.add(row_of(text.tokens[emitted]), in_top ? 0.0f : 1.0f);
      for (std::size_t k = 0; k < TopLaw::kSize; ++k) top.add(row_of(law.tokens[k]), law.probabilities[k]);
      likeliest.push_back(row_of(law.tokens[0]));
    }
  }
  const auto n = static_cast<std::int64_t>(positions.size()), k = static_cast<std::int64_t>(TopLaw::kSize);
  return {at::tensor(tokens).view({static_cast<std::int64_t>(texts.size()), static_cast<std::int64_t>(longest)}), at::tensor(positions),
          at::tensor(top.rows).view({n, k}), at::tensor(top.weights).view({n, k}), at::tensor(next.rows), at::tensor(next.weights), at::tensor(likeliest)};
}

}  // namespace speclab::engines
