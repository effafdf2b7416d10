#pragma once
// The drafter that reads the target's hidden states, as autograd sees it: whole sequences, and
// drafts several tokens deep.

#include <ATen/core/Tensor.h>

#include <vector>

#include "engines/training/torch/torch_layers.h"

namespace speclab::engines {

/// Rows of sequences: row j reads token j + 1 beside the target's state after token j, and speaks
/// of token j + 2.
struct FeatureRows {
  at::Tensor tokens;   ///< [B, R], int64
  at::Tensor hidden;   ///< [B, R, feature], float32
  at::Tensor queried;  ///< [B, M], int64: rows whose states are wanted, of each sequence
                       ///< consecutive ones; all of them for more than one layer
};

class FeatureTransformerModel {
 public:
  /// @param embedding  [vocab, hidden], float32, the target's; not trained
  FeatureTransformerModel(const DecoderShape& config, const at::Tensor& embedding,
                          std::uint64_t seed);

  const DecoderShape& config() const { return config_; }
  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }

  void move_to(const at::Device& device);
  /// What the model says when it has drafted 0, 1, ... tokens before: in step s row j follows the
  /// target's states up to token j - s and its own from there on. The first s of the queried rows
  /// mean nothing in step s.
  /// @return states after the output norm, [B, M, hidden] a step
  /// @source Zhang et al. 2024, HASS, section 3.2
  std::vector<at::Tensor> unrolled(const FeatureRows& input, int num_steps) const;

 private:
  /// Keys and values of one layer, a step each: [B, heads, R, head_dim] of the first step and
  /// layer, [B, heads, M, head_dim] of the others.
  struct LayerPast {
    std::vector<at::Tensor> keys, values;
  };
  at::Tensor fused(const at::Tensor& tokens, const at::Tensor& features) const;
  /// Appends the keys and values of a step. @param x  [B, T, hidden] @param positions  [T] or [B,
  /// 1, T]
  void append_past(const at::Tensor& x, const at::Tensor& positions, const std::string& prefix,
                   LayerPast& past) const;
  at::Tensor attention(const at::Tensor& x, const at::Tensor& queried, const std::string& prefix,
                       const LayerPast& past) const;
  at::Tensor all_heads(const at::Tensor& heads) const;

  DecoderShape config_;
  at::Tensor embedding_;
  Parameters parameters_;
};

}  // namespace speclab::engines
