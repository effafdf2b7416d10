#pragma once
// An MLP speculator as drafters see it: stages that each read a state and a token and say what
// follows. Free of torch.

#include <cstdint>
#include <span>

#include "engines/interface/language_model.h"

namespace speclab::engines {

class MlpSpeculator {
 public:
  /// What a row of a stage reads.
  struct Row {
    const float* state = nullptr;  ///< of the stage before, [inner]; of the first stage the base
                                   ///< model's hidden state, [base_hidden]
    Token token = 0;               ///< the one before that which is predicted
  };
  /// Valid until the next stage.
  struct Stage {
    std::span<const float> states;  ///< [rows, inner], row after row
    std::span<const float> logits;  ///< [rows, num_logits]
  };

  virtual ~MlpSpeculator() = default;
  /// feature_size is that of the base model's hidden state, hidden_size the inner one, num_layers
  /// the number of stages, weight_bytes what the first stage reads.
  virtual const ModelInfo& info() const = 0;
  /// @param stage  [0, num_layers) @param rows  at least one; tokens of the base model's vocabulary
  /// @source IBM 2024, released code: h = GELU(g norm(P h + r E[token]) + s), logits = H h; the
  /// norm subtracts no mean
  virtual Stage run_stage(std::int32_t stage, std::span<const Row> rows) = 0;
};

}  // namespace speclab::engines
