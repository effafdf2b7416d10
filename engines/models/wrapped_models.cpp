#include "engines/models/wrapped_models.h"

#include <algorithm>
#include <limits>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

class ResizedVocabulary final : public LanguageModel {
 public:
  ResizedVocabulary(std::shared_ptr<LanguageModel> model, std::int32_t vocab_size)
      : model_(std::move(model)), info_(model_->info()) {
    SPECLAB_EXPECT(info_.draft_vocabulary.empty(), "a model without a draft vocabulary");
    info_.vocab_size = vocab_size;
  }

  const ModelInfo& info() const override { return info_; }
  std::unique_ptr<KvCache> make_cache(std::int32_t max_sequences, std::int32_t capacity) override {
    return model_->make_cache(max_sequences, capacity);
  }

  ForwardResult forward(std::span<const ForwardRow> rows, KvCache& cache) override {
    rows_.assign(rows.begin(), rows.end());
    for (ForwardRow& row : rows_)
      if (row.token >= model_->info().vocab_size) row.token = 0;
    ForwardResult result = model_->forward(rows_, cache);
    if (result.vocab_size == 0) return result;
    resize(result);
    result.logits = logits_;
    result.vocab_size = info_.vocab_size;
    return result;
  }

 private:
  void resize(const ForwardResult& result) {
    const auto own = static_cast<std::size_t>(result.vocab_size);
    const auto wanted = static_cast<std::size_t>(info_.vocab_size);
    const std::size_t num_rows = result.logits.size() / own;
    logits_.assign(num_rows * wanted, -std::numeric_limits<float>::infinity());
    for (std::size_t row = 0; row < num_rows; ++row)
      std::copy_n(result.logits.begin() + static_cast<std::ptrdiff_t>(row * own),
                  std::min(own, wanted),
                  logits_.begin() + static_cast<std::ptrdiff_t>(row * wanted));
  }

  std::shared_ptr<LanguageModel> model_;
  ModelInfo info_;
  std::vector<ForwardRow> rows_;
  std::vector<float> logits_;
};

}  // namespace

std::int64_t forward_bytes(const ModelInfo& info, std::span<const ForwardRow> rows,
                           const KvCache& cache) {
  std::int64_t cached_tokens = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (i == 0 || rows[i].sequence != rows[i - 1].sequence)
      cached_tokens += cache.length(rows[i].sequence);
  const bool is_wide = info.narrow_rows > 0 && std::ssize(rows) > info.narrow_rows;
  return (is_wide ? info.wide_weight_bytes : info.weight_bytes) +
         cached_tokens * info.cache_bytes_per_token;
}

ForwardResult CountedModel::forward(std::span<const ForwardRow> rows, KvCache& cache) {
  const std::int64_t bytes = forward_bytes(info(), rows, cache);
  const ForwardResult result = model_.forward(rows, cache);
  bytes_read_ += bytes;
  return result;
}

std::unique_ptr<LanguageModel> with_vocabulary_size(std::shared_ptr<LanguageModel> model,
                                                    std::int32_t vocab_size) {
  return std::make_unique<ResizedVocabulary>(std::move(model), vocab_size);
}

}  // namespace speclab::engines
