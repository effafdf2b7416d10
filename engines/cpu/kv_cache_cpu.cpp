#include "engines/cpu/kv_cache_cpu.h"

#include <cstring>
#include <type_traits>

#include "engines/cpu/bfloat16.h"
#include "engines/cpu/padding.h"

namespace speclab::engines::cpu {
namespace {

std::int32_t round_up(std::int32_t n) { return (n + kKeyBlock - 1) / kKeyBlock * kKeyBlock; }

std::int64_t key_offset(std::int32_t slot, std::int32_t head_dim) {
  return static_cast<std::int64_t>(slot / kKeyBlock) * head_dim * kKeyBlock + slot % kKeyBlock;
}

}  // namespace

KvCacheCpu::KvCacheCpu(const DecoderShape& config, ElementType type, std::int32_t max_sequences,
                       std::int32_t capacity)
    : PlannedKvCache(max_sequences, round_up(capacity)),
      num_layers_(config.num_layers),
      max_sequences_(max_sequences),
      num_heads_(config.num_kv_heads),
      head_dim_(padded(config.head_dim)),
      type_(type),
      element_bytes_(type == ElementType::float32 ? sizeof(float) : sizeof(BFloat16)),
      head_bytes_(element_bytes_ * round_up(capacity) * head_dim_) {
  const auto bytes = static_cast<std::size_t>(begin_of(num_layers_, 0, 0));
  keys_ = make_huge_buffer(bytes);
  values_ = make_huge_buffer(bytes);
}

std::int64_t KvCacheCpu::begin_of(std::int32_t layer, std::int32_t sequence,
                                  std::int32_t head) const {
  return ((std::int64_t{layer} * max_sequences_ + sequence) * num_heads_ + head) * head_bytes_;
}

char* KvCacheCpu::keys_at(std::int32_t layer, std::int32_t sequence, std::int32_t head) const {
  return static_cast<char*>(keys_.get()) + begin_of(layer, sequence, head);
}

char* KvCacheCpu::values_at(std::int32_t layer, std::int32_t sequence, std::int32_t head) const {
  return static_cast<char*>(values_.get()) + begin_of(layer, sequence, head);
}

template <typename Element>
void KvCacheCpu::store_as(Element* keys, Element* values, const float* key,
                          const float* value) const {
  const auto stored = [](float x) {
    if constexpr (std::is_same_v<Element, float>)
      return x;
    else
      return to_bfloat16(x);
  };
  for (std::int32_t d = 0; d < head_dim_; ++d) {
    keys[std::int64_t{d} * kKeyBlock] = stored(key[d]);
    values[d] = stored(value[d]);
  }
}

void KvCacheCpu::store(std::int32_t layer, std::int32_t sequence, std::int32_t head,
                       std::int32_t slot, const float* key, const float* value) {
  char* keys = keys_at(layer, sequence, head) + key_offset(slot, head_dim_) * element_bytes_;
  char* values = values_at(layer, sequence, head) + slot * head_dim_ * element_bytes_;
  if (type_ == ElementType::float32)
    store_as(reinterpret_cast<float*>(keys), reinterpret_cast<float*>(values), key, value);
  else
    store_as(reinterpret_cast<BFloat16*>(keys), reinterpret_cast<BFloat16*>(values), key, value);
}

template <typename Element>
void KvCacheCpu::move_key(Element* keys, std::int32_t from, std::int32_t to) const {
  for (std::int32_t d = 0; d < head_dim_; ++d)
    keys[key_offset(to, head_dim_) + std::int64_t{d} * kKeyBlock] =
        keys[key_offset(from, head_dim_) + std::int64_t{d} * kKeyBlock];
}

void KvCacheCpu::move_slot(std::int32_t sequence, std::int32_t from, std::int32_t to) {
  const std::int64_t row_bytes = head_dim_ * element_bytes_;
  for (std::int32_t layer = 0; layer < num_layers_; ++layer)
    for (std::int32_t head = 0; head < num_heads_; ++head) {
      char* keys = keys_at(layer, sequence, head);
      if (type_ == ElementType::float32)
        move_key(reinterpret_cast<float*>(keys), from, to);
      else
        move_key(reinterpret_cast<BFloat16*>(keys), from, to);
      char* values = values_at(layer, sequence, head);
      std::memcpy(values + to * row_bytes, values + from * row_bytes,
                  static_cast<std::size_t>(row_bytes));
    }
}

void KvCacheCpu::commit(std::int32_t sequence, std::span<const std::int32_t> rows) {
  std::int32_t to = plan_.length(sequence);
  for (const std::int32_t from : plan_.commit(sequence, rows)) {
    if (from != to) move_slot(sequence, from, to);
    ++to;
  }
}

void KvCacheCpu::keep(std::int32_t sequence, std::span<const std::int32_t> rows) {
  for (const RowPlan::Move& move : plan_.keep(sequence, rows))
    move_slot(sequence, move.from, move.to);
}

void KvCacheCpu::copy_entries(std::int32_t from, std::int32_t to) {
  const auto bytes =
      static_cast<std::size_t>(element_bytes_ * round_up(plan_.length(from)) * head_dim_);
  for (std::int32_t layer = 0; layer < num_layers_; ++layer)
    for (std::int32_t head = 0; head < num_heads_; ++head) {
      std::memcpy(keys_at(layer, to, head), keys_at(layer, from, head), bytes);
      std::memcpy(values_at(layer, to, head), values_at(layer, from, head), bytes);
    }
}

}  // namespace speclab::engines::cpu
