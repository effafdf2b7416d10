#pragma once
// An MLP speculator as drafters see it: each stage reads a state and a token and predicts the next
// token. No torch here.

#include <cstdint>
#include <span>

#include "engines/interface/language_model.h"

namespace speclab::engines {

class MlpSpeculator {
 public:
  /// Input of one row of a stage.
  struct Row {
    const float* state = nullptr;  ///< state of the stage before, [inner]; for the first stage,
                                   ///< hidden state of the base model, [base_hidden]
    Token token = 0;               ///< the token before the predicted one
  };
  /// Valid until the next stage.
  struct Stage {
    std::span<const float> states;  ///< [rows, inner], row after row
    std::span<const float> logits;  ///< [rows, num_logits]
  };

  virtual ~MlpSpeculator() = default;
  /// feature_size is the size of the base model's hidden state, and hidden_size the inner one.
  /// num_layers is the number of stages; weight_bytes counts the first stage.
  virtual const ModelInfo& info() const = 0;
  /// @param stage  [0, num_layers) @param rows  at least one; tokens of the base model's vocabulary
  /// @source IBM 2024, released code: h = GELU(g norm(P h + r E[token]) + s), logits = H h; the
  /// norm subtracts no mean
  virtual Stage run_stage(std::int32_t stage, std::span<const Row> rows) = 0;
};

}  // namespace speclab::engines
