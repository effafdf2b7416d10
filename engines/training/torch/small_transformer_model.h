#pragma once
// The drafter without features as autograd sees it, and text with the target's laws in the tokens
// that it can draft.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>

#include "engines/training/torch/torch_layers.h"
#include "engines/training/torch/training_loop.h"

namespace speclab::engines {

/// Of a token that the drafter's head has no row for.
inline constexpr std::int32_t kNoRow = -1;

/// Sequences padded to one length, and the emitted positions that count. Tokens of laws are rows of
/// the drafter's head; what it cannot draft stands as row 0 of weight 0.
struct DraftBatch {
  at::Tensor tokens;        ///< [B, T]
  at::Tensor positions;     ///< [N] into B * T: where the next token was emitted
  at::Tensor top_rows;      ///< [N, K]
  at::Tensor top_weights;   ///< [N, K]
  at::Tensor next_rows;     ///< [N]
  at::Tensor next_weights;  ///< [N]: 1 where the emitted token is outside the top
  at::Tensor likeliest;     ///< [N]: row of the target's most likely token, or kNoRow
};

/// @param rows  row of the head for every token, or kNoRow
DraftBatch make_draft_batch(TrainingTask::Texts texts, std::span<const std::int32_t> rows);
DraftBatch on_device(const DraftBatch& batch, const at::Device& device);

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
