#include "engines/training/torch/target_rows.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "engines/training/torch/torch_layers.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// The target's states of a text, [tokens - 1, state_size], float32.
at::Tensor states_of(const OwnText& text) {
  const auto rows = static_cast<std::int64_t>(text.tokens.size()) - 1;
  return at::from_blob(const_cast<std::uint16_t*>(text.hidden.data()), {rows, text.state_size()},
                       at::kBFloat16)
      .to(at::kFloat);
}

/// First row that speaks of an emitted token; row -1 would speak of token 1.
std::int64_t first_row(const OwnText& text) { return std::max(0, text.prompt_length - 2); }

/// Where the rows of a batch lie.
struct Layout {
  std::int64_t num_rows = 1, num_queried = 1;
  std::vector<std::int64_t> first_queried;
};

Layout layout_of(std::span<const OwnText* const> texts, std::int32_t feature_size,
                 std::int64_t rows_before) {
  Layout layout;
  for (const OwnText* text : texts) {
    SPECLAB_EXPECT(text->state_size() == feature_size, "texts with the target's hidden states");
    const auto rows = static_cast<std::int64_t>(text->tokens.size()) - 1;
    layout.first_queried.push_back(std::max<std::int64_t>(0, first_row(*text) - rows_before));
    layout.num_rows = std::max(layout.num_rows, rows);
    layout.num_queried = std::max(layout.num_queried, rows - layout.first_queried.back());
  }
  return layout;
}

}  // namespace

FeatureBatch make_feature_batch(std::span<const OwnText* const> texts, const StateSizes& sizes,
                                std::int64_t rows_before) {
  const Layout layout = layout_of(texts, sizes.feature, rows_before);
  const auto batch = static_cast<std::int64_t>(texts.size());
  FeatureBatch result;
  result.input.tokens = at::zeros({batch, layout.num_rows}, at::kLong);
  result.input.hidden = at::zeros({batch, layout.num_rows, sizes.feature});
  std::vector<std::int64_t> rows, row_numbers, top_tokens, next_tokens;
  std::vector<float> log_partitions;
  std::vector<at::Tensor> next_hidden, queried;
  for (std::int64_t b = 0; b < batch; ++b) {
    const OwnText& text = *texts[static_cast<std::size_t>(b)];
    const auto states = states_of(text);
    const std::int64_t count = states.size(0), first = first_row(text),
                       first_queried = layout.first_queried[static_cast<std::size_t>(b)];
    result.input.tokens[b]
        .narrow(0, 0, count)
        .copy_(at::tensor(std::vector<std::int64_t>(text.tokens.begin() + 1, text.tokens.end())));
    result.input.hidden[b].narrow(0, 0, count).copy_(states);
    queried.push_back(at::arange(first_queried, first_queried + layout.num_queried)
                          .clamp_max(layout.num_rows - 1));
    if (first + 1 >= count) continue;
    next_hidden.push_back(
        states.narrow(0, first + 1, count - first - 1).narrow(1, 0, sizes.hidden));
    for (std::int64_t row = first; row + 1 < count; ++row) {
      const TopLaw& law = text.laws[static_cast<std::size_t>(row + 2 - text.prompt_length)];
      rows.push_back(b * layout.num_queried + row - first_queried);
      row_numbers.push_back(row);
      log_partitions.push_back(law.log_partition);
      top_tokens.push_back(law.tokens[0]);
      next_tokens.push_back(text.tokens[static_cast<std::size_t>(row + 2)]);
    }
  }
  result.input.queried = at::stack(queried);
  result.rows = at::tensor(rows, at::kLong);
  result.row_numbers = at::tensor(row_numbers, at::kLong);
  result.log_partitions = at::tensor(log_partitions);
  result.top_tokens = at::tensor(top_tokens, at::kLong);
  result.next_tokens = at::tensor(next_tokens, at::kLong);
  result.next_hidden = next_hidden.empty() ? at::zeros({0, sizes.hidden}) : at::cat(next_hidden);
  return result;
}

FeatureBatch on_device(const FeatureBatch& batch, const at::Device& device) {
  return {{batch.input.tokens.to(device), batch.input.hidden.to(device),
           batch.input.queried.to(device)},
          batch.rows.to(device),
          batch.row_numbers.to(device),
          batch.next_hidden.to(device),
          batch.log_partitions.to(device),
          batch.top_tokens.to(device),
          batch.next_tokens.to(device)};
}

at::Tensor tokens_tensor(const std::vector<Token>& tokens) {
  return at::tensor(std::vector<std::int64_t>(tokens.begin(), tokens.end()));
}

TargetRows::TargetRows(const FeatureTarget& target, const std::vector<Token>& draft_vocabulary,
                       const std::string& loss, at::ScalarType dtype)
    : learns_tokens_(loss == "tokens"),
      dtype_(dtype),
      drafted_(draft_vocabulary.empty() ? at::arange(target.config.vocab_size)
                                        : tokens_tensor(draft_vocabulary)) {
  const auto table =
      at::from_blob(const_cast<float*>(target.head.data()),
                    {target.config.vocab_size, target.config.hidden_size}, at::kFloat);
  head_ = table.index_select(0, drafted_);
  rounded_head_ = head_.to(dtype);
}

void TargetRows::move_to(const at::Device& device) {
  for (at::Tensor* const tensor : {&drafted_, &head_, &rounded_head_}) *tensor = tensor->to(device);
}

at::Tensor TargetRows::law_of(const at::Tensor& logits, const FeatureBatch& batch,
                              std::int64_t first) const {
  return (logits - batch.log_partitions.narrow(0, first, logits.size(0)).unsqueeze(1)).exp_();
}

at::Tensor TargetRows::law(const FeatureBatch& batch, std::int64_t first,
                           std::int64_t count) const {
  return law_of(at::matmul(batch.next_hidden.narrow(0, first, count), head_.t()), batch, first);
}

at::Tensor TargetRows::wanted(const FeatureBatch& batch, std::int64_t first,
                              std::int64_t count) const {
  if (learns_tokens_)
    return (batch.next_tokens.narrow(0, first, count).unsqueeze(1) == drafted_).to(at::kFloat);
  return law_of(product(batch.next_hidden.narrow(0, first, count), rounded_head_.t(), dtype_),
                batch, first);
}

at::Tensor TargetRows::agreement(const FeatureBatch& batch, std::int64_t first,
                                 const at::Tensor& scores) const {
  return drafted_.index_select(0, scores.argmax(1)) ==
         batch.top_tokens.narrow(0, first, scores.size(0));
}

}  // namespace speclab::engines
