#pragma once
#include <vector>

#include "engines/interface/language_model.h"

namespace speclab::bench {

/// A model whose forward costs nothing: what is left is the loop around it. Its arg max is always
/// the same token.
class NullModel final : public engines::LanguageModel {
 public:
  /// @param max_rows  of a forward
  NullModel(std::int32_t vocab_size, std::int32_t max_rows);

  const engines::ModelInfo& info() const override { return info_; }
  std::unique_ptr<engines::KvCache> make_cache(std::int32_t max_sequences,
                                               std::int32_t capacity) override;
  engines::ForwardResult forward(std::span<const engines::ForwardRow> rows,
                                 engines::KvCache& cache) override;

 private:
  engines::ModelInfo info_;
  std::vector<float> logits_;
};

}  // namespace speclab::bench
