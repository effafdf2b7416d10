#include "engines/training/torch/target_rows.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tensor.h>

#include "engines/training/torch/torch_layers.h"

namespace speclab::engines {

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
