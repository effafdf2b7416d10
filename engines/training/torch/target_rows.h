#pragma once
#include <ATen/core/Tensor.h>

#include <span>
#include <string>
#include <vector>

#include "engines/models/decoder_shape.h"
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

/// The target as a drafter that reads its hidden states needs it.
struct FeatureTarget {
  DecoderShape config;
  std::string name, sha256;
  std::vector<float> embedding;  ///< [vocab, hidden]
  std::vector<float> head;       ///< [vocab, hidden]
};

/// The target's head over a draft vocabulary, and what it says of the rows of a batch.
class TargetRows {
 public:
  /// @param draft_vocabulary  empty: all tokens @param loss  one of kLosses @param dtype  of
  /// products where a training asks for speed
  TargetRows(const FeatureTarget& target, const std::vector<Token>& draft_vocabulary,
             const std::string& loss, at::ScalarType dtype);

  void move_to(const at::Device& device);
  const at::Tensor& head() const { return head_; }
  const at::Tensor& rounded_head() const { return rounded_head_; }

  /// The law at temperature 1 of rows [first, first + count), [count, draft vocabulary], made from
  /// the target's states.
  at::Tensor law(const FeatureBatch& batch, std::int64_t first, std::int64_t count) const;
  /// What a drafter of the loss learns to say of them: the law, in products of dtype, or 1 at the
  /// token that came next, if it can be drafted.
  at::Tensor wanted(const FeatureBatch& batch, std::int64_t first, std::int64_t count) const;
  /// Which of the rows' most likely tokens are those of the highest scores, [count].
  at::Tensor agreement(const FeatureBatch& batch, std::int64_t first,
                       const at::Tensor& scores) const;

 private:
  at::Tensor law_of(const at::Tensor& logits, const FeatureBatch& batch, std::int64_t first) const;

  bool learns_tokens_;
  at::ScalarType dtype_;
  at::Tensor drafted_;       ///< [draft vocabulary], tokens
  at::Tensor head_;          ///< [draft vocabulary, hidden]
  at::Tensor rounded_head_;  ///< the same in dtype
};

/// [n], int64
at::Tensor tokens_tensor(const std::vector<Token>& tokens);

}  // namespace speclab::engines
