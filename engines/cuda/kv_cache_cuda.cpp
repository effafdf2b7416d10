#include "engines/cuda/kv_cache_cuda.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "engines/cuda/cuda_errors.h"
#include "sim/system/errors.h"

namespace speclab::engines::cuda {
namespace {

std::int32_t rounded_up(std::int32_t value, std::int32_t step) {
  return (value + step - 1) / step * step;
}

std::uint64_t next_generation() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

KvCacheCuda::KvCacheCuda(const DecoderShape& config, const Device& device,
                         std::int32_t max_sequences, std::int32_t capacity)
    : PlannedKvCache(max_sequences, capacity),
      config_(config),
      device_(device),
      max_sequences_(max_sequences),
      stride_(rounded_up(capacity, keys_per_split(config.head_dim))),
      keys_(zeros_on_device<std::uint16_t>(
          static_cast<std::size_t>(config.num_layers * layer_elements()))),
      values_(zeros_on_device<std::uint16_t>(keys_.size())),
      generation_(next_generation()) {}

std::int64_t KvCacheCuda::layer_elements() const {
  return std::int64_t{max_sequences_} * config_.num_kv_heads * stride_ * config_.head_dim;
}

std::int32_t KvCacheCuda::splits_for(std::int32_t slots) const {
  const std::int32_t keys = keys_per_split(config_.head_dim);
  const auto splits = static_cast<std::uint32_t>((slots + keys - 1) / keys);
  return std::min(max_splits(), static_cast<std::int32_t>(std::bit_ceil(splits)));
}

void KvCacheCuda::make_room(const PassShape& shape) {
  const std::int64_t group = config_.num_heads / config_.num_kv_heads;
  const std::int64_t tiles =
      shape.groups * ((shape.rows_per_group * group + 15) / 16) * config_.num_kv_heads;
  const auto parts =
      std::max(partial_sums_.size(), static_cast<std::size_t>(tiles * shape.splits * 16));
  const auto counters = std::max(arrivals_.size(), static_cast<std::size_t>(tiles));
  if (partial_sums_.size() == parts && arrivals_.size() == counters) return;
  DeviceArray<std::uint64_t> sums(parts);
  DeviceArray<float> outputs(parts * static_cast<std::size_t>(config_.head_dim));
  DeviceArray<std::int32_t> arrivals = zeros_on_device<std::int32_t>(counters);
  graphs_.clear();
  generation_ = next_generation();
  std::swap(partial_sums_, sums);
  std::swap(partial_outputs_, outputs);
  std::swap(arrivals_, arrivals);
}

AttentionBuffers KvCacheCuda::buffers(std::int32_t layer) const {
  AttentionBuffers buffers{};
  buffers.keys = keys_.data() + layer * layer_elements();
  buffers.values = values_.data() + layer * layer_elements();
  buffers.partial_outputs = partial_outputs_.data();
  buffers.partial_sums = reinterpret_cast<float2*>(partial_sums_.data());
  buffers.arrivals = arrivals_.data();
  buffers.heads = config_.num_heads;
  buffers.kv_heads = config_.num_kv_heads;
  buffers.head_dim = config_.head_dim;
  buffers.capacity = stride_;
  return buffers;
}

CachedSequence KvCacheCuda::cached(std::int32_t sequence) const {
  return {keys_.data(),         values_.data(), config_.num_layers, max_sequences_, sequence,
          config_.num_kv_heads, stride_,        config_.head_dim};
}

void KvCacheCuda::keep(std::int32_t, std::span<const std::int32_t>) {
  throw DeviceError(
      "device 'cuda': its cache keeps no beams yet; use --device cpu, or --kernels reference");
}

void KvCacheCuda::commit(std::int32_t sequence, std::span<const std::int32_t> rows) {
  SlotMoves moves{plan_.length(sequence), 0, {}};
  for (const std::int32_t slot : plan_.commit(sequence, rows)) {
    if (slot == moves.first && moves.count == 0) {
      ++moves.first;
      continue;
    }
    SPECLAB_EXPECT(moves.count < kMaxRows, "at most 64 slots move at a time");
    moves.from[moves.count++] = slot;
  }
  if (moves.count > 0) launch_move_slots(cached(sequence), moves, device_.context());
}

void KvCacheCuda::copy_entries(std::int32_t from, std::int32_t to) {
  const auto elements = static_cast<std::size_t>(layer_elements() / max_sequences_);
  for (std::int32_t layer = 0; layer < config_.num_layers; ++layer)
    for (std::uint16_t* cache : {keys_.data(), values_.data()}) {
      std::uint16_t* of_layer = cache + layer * layer_elements();
      check(cudaMemcpyAsync(of_layer + static_cast<std::size_t>(to) * elements,
                            of_layer + static_cast<std::size_t>(from) * elements, elements * 2,
                            cudaMemcpyDeviceToDevice, device_.context().stream),
            "copying a sequence's cache");
    }
}

}  // namespace speclab::engines::cuda
