#pragma once
// Models that stand before another one: with other numbers of logits, or counting the bytes that
// forwards read.

#include <memory>

#include "engines/interface/language_model.h"

namespace speclab::engines {

/// Bytes that one forward of these rows reads: the weights once, in the form that so many rows
/// take, and the committed keys and values
/// of each sequence. Layers with a window count as if they saw the whole sequence.
/// @param rows  those of one sequence stand together
std::int64_t forward_bytes(const ModelInfo& info, std::span<const ForwardRow> rows,
                           const KvCache& cache);

/// Another model, whose forwards are counted by the bytes that they read.
class CountedModel final : public LanguageModel {
 public:
  /// @param model  outlives this
  explicit CountedModel(LanguageModel& model) : model_(model) {}

  const ModelInfo& info() const override { return model_.info(); }
  std::unique_ptr<KvCache> make_cache(std::int32_t max_sequences, std::int32_t capacity) override {
    return model_.make_cache(max_sequences, capacity);
  }
  ForwardResult forward(std::span<const ForwardRow> rows, KvCache& cache) override;

  std::int64_t bytes_read() const { return bytes_read_; }  ///< by all forwards so far

 private:
  LanguageModel& model_;
  std::int64_t bytes_read_ = 0;
};

/// The same model with another number of logits a row: rows of an embedding are padded differently
/// in models of one family. Tokens that the model does not have get minus infinity, and the model
/// reads its first token in their place. Further ones of its own are cut off.
/// @param model  without a draft vocabulary
std::unique_ptr<LanguageModel> with_vocabulary_size(std::shared_ptr<LanguageModel> model,
                                                    std::int32_t vocab_size);

}  // namespace speclab::engines
