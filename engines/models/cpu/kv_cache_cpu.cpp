#include "engines/models/cpu/kv_cache_cpu.h"

#include <cstring>

#include "engines/models/cpu/kernels.h"
#include "engines/models/cpu/padding.h"

namespace speclab::engines::cpu {
namespace {

std::int32_t round_up(std::int32_t n) { return (n + kKeyBlock - 1) / kKeyBlock * kKeyBlock; }

std::int64_t key_offset(std::int32_t slot, std::int32_t head_dim) {
  return static_cast<std::int64_t>(slot / kKeyBlock) * head_dim * kKeyBlock + slot % kKeyBlock;
}

}  // namespace

KvCacheCpu::KvCacheCpu(const DecoderShape& config, std::int32_t max_sequences,
                       std::int32_t capacity)
    : num_layers_(config.num_layers),
      max_sequences_(max_sequences),
      num_heads_(config.num_kv_heads),
      head_dim_(padded(config.head_dim)),
      head_floats_(static_cast<std::int64_t>(round_up(capacity)) * head_dim_),
      plan_(max_sequences, round_up(capacity)) {
  const std::int64_t floats =
      std::int64_t{num_layers_} * max_sequences_ * num_heads_ * head_floats_;
  keys_ = make_huge_buffer(static_cast<std::size_t>(floats) * sizeof(float));
  values_ = make_huge_buffer(static_cast<std::size_t>(floats) * sizeof(float));
}

float* KvCacheCpu::keys_at(std::int32_t layer, std::int32_t sequence, std::int32_t head) const {
  return static_cast<float*>(keys_.get()) +
         ((std::int64_t{layer} * max_sequences_ + sequence) * num_heads_ + head) * head_floats_;
}

float* KvCacheCpu::values_at(std::int32_t layer, std::int32_t sequence, std::int32_t head) const {
  return static_cast<float*>(values_.get()) +
         ((std::int64_t{layer} * max_sequences_ + sequence) * num_heads_ + head) * head_floats_;
}

void KvCacheCpu::store(std::int32_t layer, std::int32_t sequence, std::int32_t head,
                       std::int32_t slot, const float* key, const float* value) {
  float* keys = keys_at(layer, sequence, head) + key_offset(slot, head_dim_);
  for (std::int32_t d = 0; d < head_dim_; ++d) keys[std::int64_t{d} * kKeyBlock] = key[d];
  std::memcpy(values_at(layer, sequence, head) + std::int64_t{slot} * head_dim_, value,
              sizeof(float) * static_cast<std::size_t>(head_dim_));
}

void KvCacheCpu::move_slot(std::int32_t sequence, std::int32_t from, std::int32_t to) {
  for (std::int32_t layer = 0; layer < num_layers_; ++layer)
    for (std::int32_t head = 0; head < num_heads_; ++head) {
      float* keys = keys_at(layer, sequence, head);
      for (std::int32_t d = 0; d < head_dim_; ++d)
        keys[key_offset(to, head_dim_) + std::int64_t{d} * kKeyBlock] =
            keys[key_offset(from, head_dim_) + std::int64_t{d} * kKeyBlock];
      float* values = values_at(layer, sequence, head);
      std::memcpy(values + std::int64_t{to} * head_dim_, values + std::int64_t{from} * head_dim_,
                  sizeof(float) * static_cast<std::size_t>(head_dim_));
    }
}

void KvCacheCpu::commit(std::int32_t sequence, std::span<const std::int32_t> rows) {
  std::int32_t to = plan_.length(sequence);
  for (const std::int32_t from : plan_.commit(sequence, rows)) {
    if (from != to) move_slot(sequence, from, to);
    ++to;
  }
}

std::int32_t KvCacheCpu::fork(std::int32_t sequence) {
  const std::int32_t copy = plan_.begin();
  const std::size_t bytes = sizeof(float) *
                            static_cast<std::size_t>(round_up(plan_.length(sequence))) *
                            static_cast<std::size_t>(head_dim_);
  for (std::int32_t layer = 0; layer < num_layers_; ++layer)
    for (std::int32_t head = 0; head < num_heads_; ++head) {
      std::memcpy(keys_at(layer, copy, head), keys_at(layer, sequence, head), bytes);
      std::memcpy(values_at(layer, copy, head), values_at(layer, sequence, head), bytes);
    }
  plan_.set_length(copy, plan_.length(sequence));
  return copy;
}

}  // namespace speclab::engines::cpu
