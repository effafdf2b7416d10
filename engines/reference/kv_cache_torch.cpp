#include "engines/reference/decoder_torch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <vector>

namespace speclab::engines {

KvCacheTorch::KvCacheTorch(const DecoderShape& config, std::int32_t max_sequences,
                           std::int32_t capacity, const at::TensorOptions& options)
    : PlannedKvCache(max_sequences, capacity) {
  keys_ = at::zeros(
      {config.num_layers, max_sequences, config.num_kv_heads, capacity, config.head_dim}, options);
  values_ = at::zeros_like(keys_);
}

void KvCacheTorch::commit(std::int32_t sequence, std::span<const std::int32_t> rows) {
  const std::int64_t first = plan_.length(sequence);
  const auto slots = plan_.commit(sequence, rows);
  const std::vector<std::int64_t> from(slots.begin(), slots.end());
  bool in_place = true;
  for (std::size_t i = 0; i < from.size(); ++i)
    in_place = in_place && from[i] == first + static_cast<std::int64_t>(i);
  if (in_place) return;
  const at::Tensor index = at::tensor(from, at::kLong).to(keys_.device());
  for (at::Tensor& cache : {std::ref(keys_), std::ref(values_)}) {
    const at::Tensor of_sequence = cache.select(1, sequence);
    of_sequence.narrow(2, first, static_cast<std::int64_t>(from.size()))
        .copy_(of_sequence.index_select(2, index));
  }
}

void KvCacheTorch::keep(std::int32_t sequence, std::span<const std::int32_t> rows) {
  for (const RowPlan::Move& move : plan_.keep(sequence, rows))
    for (at::Tensor& cache : {std::ref(keys_), std::ref(values_)}) {
      const at::Tensor of_sequence = cache.select(1, sequence);
      of_sequence.select(2, move.to).copy_(of_sequence.select(2, move.from));
    }
}

void KvCacheTorch::copy_entries(std::int32_t from, std::int32_t to) {
  for (at::Tensor& cache : {std::ref(keys_), std::ref(values_)})
    cache.select(1, to).copy_(cache.select(1, from));
}

}  // namespace speclab::engines
