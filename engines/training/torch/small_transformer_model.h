#pragma once
// The drafter without features as autograd sees it.

#include <ATen/core/Tensor.h>

#include <string>

#include "engines/training/torch/torch_layers.h"

namespace speclab::engines {

class SmallTransformerModel {
 public:
  /// @param embedding  [vocab, hidden], float32: the start of the tied table
  SmallTransformerModel(const LlamaConfig& config, const at::Tensor& embedding, std::uint64_t seed);

  const LlamaConfig& config() const { return config_; }
  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  /// @param tokens  [B, T], int64
  /// @return last hidden states, [B, T, hidden], after the output norm
  at::Tensor hidden(const at::Tensor& tokens) const;
  /// @param hidden  [N, hidden] @return [N, vocab] logits
  at::Tensor logits(const at::Tensor& hidden) const;

 private:
  at::Tensor attention(const at::Tensor& x, const std::string& prefix) const;

  LlamaConfig config_;
  Parameters parameters_;
};

}  // namespace speclab::engines
