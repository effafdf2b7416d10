#pragma once
#include <ATen/core/Tensor.h>

#include "engines/models/decoder_shape.h"
#include "engines/models/row_plan.h"

namespace speclab::engines {

/// Keys and values as two tensors, [layers, sequences, kv_heads, capacity, head_dim], on the
/// model's device.
class KvCacheTorch final : public KvCache {
 public:
  KvCacheTorch(const DecoderShape& config, std::int32_t max_sequences, std::int32_t capacity,
               const at::TensorOptions& options);

  std::int32_t begin() override { return plan_.begin(); }
  std::int32_t fork(std::int32_t sequence) override;
  void commit(std::int32_t sequence, std::span<const std::int32_t> rows) override;
  void keep(std::int32_t sequence, std::span<const std::int32_t> rows) override;
  void truncate(std::int32_t sequence, std::int32_t length) override {
    plan_.truncate(sequence, length);
  }
  void release(std::int32_t sequence) override { plan_.release(sequence); }
  std::int32_t length(std::int32_t sequence) const override { return plan_.length(sequence); }
  std::int32_t capacity() const override { return plan_.capacity(); }

  RowPlan& plan() { return plan_; }
  at::Tensor keys(std::int32_t layer) const {
    return keys_[layer];
  }  ///< [sequences, kv_heads, capacity, head_dim]
  at::Tensor values(std::int32_t layer) const { return values_[layer]; }

 private:
  RowPlan plan_;
  at::Tensor keys_, values_;
};

}  // namespace speclab::engines
