#pragma once
// The drafter that reads the target's hidden states, as autograd sees it: whole sequences, and drafts several tokens deep.

#include <ATen/core/Tensor.h>

#include <vector>

#include "engines/training/torch/torch_layers.h"

namespace speclab::engines {

/// Row j of a sequence reads token j + 1 beside the target's state after token j, and speaks of token j + 2.
class FeatureTransformerModel {
 public:
  /// @param embedding  [vocab, hidden], float32, the target's; not trained
  FeatureTransformerModel(const LlamaConfig& config, const at::Tensor& embedding, std::uint64_t seed);

  const LlamaConfig& config() const { return config_; }
  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }

  /// What the model says when it has drafted 0, 1, ... tokens before: in step s row j follows the target's states up to token j - s and
  /// its own from there on. Rows j < s of step s mean nothing.
  /// @param tokens   [B, R], int64: token j + 1 in row j
  /// @param hidden   [B, R, feature], the target's after token j
  /// @return states after the output norm, [B, R, hidden] a step
  /// @source Zhang et al. 2024, HASS, section 3.2
  std::vector<at::Tensor> unrolled(const at::Tensor& tokens, const at::Tensor& hidden, int num_steps) const;

 private:
  /// Keys and values of one layer, [B, heads, R, head_dim], a step each.
  struct LayerPast {
    std::vector<at::Tensor> keys, values;
  };
  at::Tensor fused(const at::Tensor& tokens, const at::Tensor& features) const;
  at::Tensor attention(const at::Tensor& x, const std::string& prefix, LayerPast& past) const;
  at::Tensor all_heads(const at::Tensor& heads) const;

  LlamaConfig config_;
  at::Tensor embedding_;
  Parameters parameters_;
};

}  // namespace speclab::engines
