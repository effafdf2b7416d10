#pragma once
#include <ATen/core/Tensor.h>

#include <span>

#include "engines/training/own_text.h"

namespace speclab::engines {

/// Sequences padded to one length, and the rows of them that speak of an emitted token. Row j of a sequence holds token j + 1 and the
/// target's state after token j; it speaks of token j + 2.
struct FeatureBatch {
  at::Tensor tokens;          ///< [B, R], int64
  at::Tensor hidden;          ///< [B, R, feature], float32
  at::Tensor rows;            ///< [N] into B * R
  at::Tensor row_numbers;     ///< [N]: j
  at::Tensor next_hidden;     ///< [N, feature]: the target's state after token j + 1, of which its law of token j + 2 is made
  at::Tensor log_partitions;  ///< [N], of that law
  at::Tensor top_tokens;      ///< [N]: its arg max
};

/// @param texts  with hidden states
FeatureBatch make_feature_batch(std::span<const OwnText* const> texts, std::int32_t hidden_size);

}  // namespace speclab::engines
