#pragma once
// A model whose forwards of several rows are wrong in one way, as engines in the wild were;
// forwards of one row are right.

#include <memory>
#include <vector>

#include "engines/interface/language_model.h"

namespace speclab::testing {

enum class RowFault {
  none,
  other_model,  ///< another model computes them, into the same cache
  stale_cache,  ///< the last committed entry is that of another token
  mask_leak,    ///< every row sees a rejected sibling of the first, at that one's position
};

class FaultyRows final : public engines::LanguageModel {
 public:
  /// @param model  outlives this
  /// @param several  what computes forwards of several rows; outlives this, and takes the caches of
  /// `model`. For a mask leak
  ///                 the same model a position back: the rejected row takes a place in the cache.
  FaultyRows(engines::LanguageModel& model, engines::LanguageModel& several, RowFault fault)
      : model_(model), several_(several), fault_(fault) {}

  const engines::ModelInfo& info() const override { return model_.info(); }
  std::unique_ptr<engines::KvCache> make_cache(std::int32_t max_sequences,
                                               std::int32_t capacity) override {
    return std::make_unique<Cache>(*this, model_.make_cache(max_sequences, capacity + 1));
  }

  engines::ForwardResult forward(std::span<const engines::ForwardRow> rows,
                                 engines::KvCache& cache) override {
    auto& own = dynamic_cast<Cache&>(cache);
    own.last_rows.assign(rows.begin(), rows.end());
    std::vector<engines::ForwardRow> changed = own.last_rows;
    const bool is_verification = rows.size() > 1 && rows.back().wants_logits;
    own.leaked = is_verification && fault_ == RowFault::mask_leak;
    if (is_verification) spoil(changed, own);
    const engines::ForwardResult result =
        (is_verification ? several_ : model_).forward(changed, *own.inner);
    logits_.assign(result.logits.begin(), result.logits.end());
    return {logits_, result.vocab_size};
  }

 private:
  /// Commits what a right forward of the same rows leaves, so that only logits and what was
  /// overwritten are wrong.
  struct Cache final : engines::KvCache {
    Cache(FaultyRows& owner, std::unique_ptr<engines::KvCache> cache)
        : model(owner), inner(std::move(cache)) {}
    std::int32_t begin() override { return inner->begin(); }
    std::int32_t fork(std::int32_t sequence) override { return inner->fork(sequence); }
    void commit(std::int32_t sequence, std::span<const std::int32_t> rows) override {
      if (leaked) {
        inner->truncate(sequence, inner->length(sequence) - 1);
        model.model_.forward(last_rows, *inner);
      }
      inner->commit(sequence, rows);
    }
    void keep(std::int32_t sequence, std::span<const std::int32_t> rows) override {
      inner->keep(sequence, rows);
    }
    void truncate(std::int32_t sequence, std::int32_t length) override {
      inner->truncate(sequence, length);
    }
    void release(std::int32_t sequence) override { inner->release(sequence); }
    std::int32_t length(std::int32_t sequence) const override { return inner->length(sequence); }
    std::int32_t capacity() const override { return inner->capacity() - 1; }

    FaultyRows& model;
    std::unique_ptr<engines::KvCache> inner;
    std::vector<engines::ForwardRow> last_rows;  ///< of the last forward, as asked for
    bool leaked = false;                         ///< the last committed entry is the rejected row's
  };

  Token another(Token token) const { return (token + 1) % model_.info().vocab_size; }

  void spoil(std::vector<engines::ForwardRow>& rows, Cache& cache) {
    const engines::ForwardRow& first = rows.front();
    const std::int32_t length = cache.length(first.sequence);
    if (fault_ == RowFault::stale_cache && length > 0) {
      cache.truncate(first.sequence, length - 1);
      append(another(first.token), first.sequence, cache);
    }
    if (fault_ == RowFault::mask_leak) {
      append(another(first.token), first.sequence, cache);
      for (engines::ForwardRow& row : rows) ++row.position;
    }
  }

  void append(Token token, std::int32_t sequence, Cache& cache) {
    const engines::ForwardRow row{token, cache.length(sequence), sequence,
                                  engines::ForwardRow::kCommitted, false};
    model_.forward({&row, 1}, *cache.inner);
    const std::int32_t number = 0;
    cache.inner->commit(sequence, {&number, 1});
  }

  engines::LanguageModel &model_, &several_;
  RowFault fault_;
  std::vector<float> logits_;
};

}  // namespace speclab::testing
