#pragma once
// The drafter as autograd sees it: the same mathematics as LlamaCpu, in float32, over whole sequences.

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "engines/models/llama/llama_config.h"

namespace speclab::engines {

/// Parameters are leaves that require gradients, named as in a Hugging Face checkpoint.
class SmallTransformerModel {
 public:
  struct Parameter {
    std::string name;
    at::Tensor value;
    bool decays = true;  ///< weight decay; not for norms
  };

  /// @param embedding  [vocab, hidden], float32: the start of the tied table
  SmallTransformerModel(const LlamaConfig& config, const at::Tensor& embedding, std::uint64_t seed);

  const LlamaConfig& config() const { return config_; }
  std::vector<Parameter>& parameters() { return parameters_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// @param tokens  [B, T], int64
  /// @return last hidden states, [B, T, hidden], after the output norm
  at::Tensor hidden(const at::Tensor& tokens) const;
  /// @param hidden  [N, hidden] @return [N, vocab] logits
  at::Tensor logits(const at::Tensor& hidden) const;

 private:
  const at::Tensor& at(const std::string& name) const;
  at::Tensor attention(const at::Tensor& x, const std::string& prefix) const;
  at::Tensor feed_forward(const at::Tensor& x, const std::string& prefix) const;
  at::Tensor rotated(const at::Tensor& heads) const;

  LlamaConfig config_;
  std::vector<Parameter> parameters_;
};

}  // namespace speclab::engines
