#pragma once
#include <ATen/core/Tensor.h>

#include <span>

#include "engines/training/own_text.h"
#include "engines/training/torch/feature_transformer_model.h"

namespace speclab::engines {

/// Sequences padded to one length, and the rows of them that speak of an emitted token.
struct FeatureBatch {
  FeatureRows input;
  at::Tensor rows;         ///< [N] into the B * M queried ones
  at::Tensor row_numbers;  ///< [N]: j
  at::Tensor next_hidden;  ///< [N, hidden]: the target's state after token j + 1, of which its law
                           ///< of token j + 2 is made
  at::Tensor log_partitions;  ///< [N], of that law
  at::Tensor top_tokens;      ///< [N]: its arg max
  at::Tensor next_tokens;     ///< [N]: token j + 2
};

/// Values of what a row reads, the target's last state first, and of that state.
struct StateSizes {
  std::int32_t feature, hidden;
};

/// @param texts  with hidden states as wide as the feature
/// @param rows_before  how many rows before the first that speaks of an emitted token are queried
/// too, as far as there are any
FeatureBatch make_feature_batch(std::span<const OwnText* const> texts, const StateSizes& sizes,
                                std::int64_t rows_before);
FeatureBatch on_device(const FeatureBatch& batch, const at::Device& device);

}  // namespace speclab::engines
