#pragma once
#include <ATen/core/Tensor.h>

#include "engines/models/decoder_shape.h"
#include "engines/models/row_plan.h"

namespace speclab::engines {

/// Keys and values as two tensors, [layers, sequences, kv_heads, capacity, head_dim], on the
/// model's device.
class KvCacheTorch final : public PlannedKvCache {
 public:
  KvCacheTorch(const DecoderShape& config, std::int32_t max_sequences, std::int32_t capacity,
               const at::TensorOptions& options);

  void commit(std::int32_t sequence, std::span<const std::int32_t> rows) override;
  void keep(std::int32_t sequence, std::span<const std::int32_t> rows) override;

  at::Tensor keys(std::int32_t layer) const {
    return keys_[layer];
  }  ///< [sequences, kv_heads, capacity, head_dim]
  at::Tensor values(std::int32_t layer) const { return values_[layer]; }

 private:
  void copy_entries(std::int32_t from, std::int32_t to) override;
  at::Tensor keys_, values_;
};

}  // namespace speclab::engines
