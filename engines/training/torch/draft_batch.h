#pragma once
// Text with the target's laws, in the tokens that a small transformer can draft.

#include <ATen/core/Tensor.h>

#include <vector>

#include "engines/models/llama/llama_config.h"
#include "engines/training/torch/training_loop.h"

namespace speclab::engines {

/// Sequences padded to one length, and the emitted positions that count. Tokens of laws are rows of the drafter's head; those that it
/// cannot draft weigh nothing.
struct DraftBatch {
  at::Tensor tokens;         ///< [B, T]
  at::Tensor positions;      ///< [N] into B * T: where the next token was emitted
  at::Tensor top_rows;       ///< [N, K]
  at::Tensor top_weights;    ///< [N, K]
  at::Tensor next_rows;      ///< [N]
  at::Tensor next_weights;   ///< [N]: 1 where the emitted token is outside the top
  at::Tensor likeliest;      ///< [N]: row of the target's most likely token, or kNoRow
};

inline constexpr std::int64_t kNoRow = -1;

/// Row of the head that stands for a token, or kNoRow.
class HeadRows {
 public:
  explicit HeadRows(const LlamaConfig& config);
  std::int64_t operator()(Token token) const { return rows_[static_cast<std::size_t>(token)]; }

 private:
  std::vector<std::int64_t> rows_;
};

DraftBatch make_draft_batch(TrainingTask::Texts texts, const HeadRows& row_of);

}  // namespace speclab::engines
