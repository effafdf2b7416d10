#pragma once
// Text with the target's laws, in the tokens that a small transformer can draft.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

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

}  // namespace speclab::engines
