#pragma once
// The drafter without features as autograd sees it.

#include <ATen/core/Tensor.h>

#include <string>

#include "engines/training/torch/torch_layers.h"

namespace speclab::engines {

class SmallTransformerModel {
 public:
  /// @param embedding  [vocab, hidden], float32: the start of the tied table
  SmallTransformerModel(const DecoderShape& config, const at::Tensor& embedding,
                        std::uint64_t seed);

  const DecoderShape& config() const { return config_; }
  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  void move_to(const at::Device& device);
  /// @param tokens  [B, T], int64
  /// @return last hidden states, [B, T, hidden], after the output norm
  at::Tensor hidden(const at::Tensor& tokens) const;
  /// [num_logits, hidden]: the table, or its rows of the draft vocabulary.
  at::Tensor head() const;
  /// Adds to the table's gradient that of its rows in the head; backward() has made it. @param
  /// gradient  as head()
  void add_head_gradient(const at::Tensor& gradient, double scale);

 private:
  at::Tensor attention(const at::Tensor& x, const std::string& prefix) const;

  DecoderShape config_;
  at::Tensor draft_vocabulary_;  ///< [num_logits], int64; undefined: all
  Parameters parameters_;
};

}  // namespace speclab::engines
