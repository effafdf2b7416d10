#pragma once
#include "engines/cpu/huge_buffer.h"
#include "engines/cpu/kernels.h"
#include "engines/models/decoder_shape.h"
#include "engines/models/row_plan.h"

namespace speclab::engines::cpu {

/// Keys and values in one element type: keys in blocks of 16 slots with the head's dimension
/// outside, so that a query meets 16 keys with one load; values slot by slot.
class KvCacheCpu final : public PlannedKvCache {
 public:
  KvCacheCpu(const DecoderShape& config, ElementType type, std::int32_t max_sequences,
             std::int32_t capacity);

  void commit(std::int32_t sequence, std::span<const std::int32_t> rows) override;
  void keep(std::int32_t sequence, std::span<const std::int32_t> rows) override;

  const void* keys(std::int32_t layer, std::int32_t sequence, std::int32_t head) const {
    return keys_at(layer, sequence, head);
  }
  const void* values(std::int32_t layer, std::int32_t sequence, std::int32_t head) const {
    return values_at(layer, sequence, head);
  }
  /// Stores one head's key and value, [head_dim in whole vectors] each.
  void store(std::int32_t layer, std::int32_t sequence, std::int32_t head, std::int32_t slot,
             const float* key, const float* value);

 private:
  void copy_entries(std::int32_t from, std::int32_t to) override;
  char* keys_at(std::int32_t layer, std::int32_t sequence, std::int32_t head) const;
  char* values_at(std::int32_t layer, std::int32_t sequence, std::int32_t head) const;
  std::int64_t begin_of(std::int32_t layer, std::int32_t sequence, std::int32_t head) const;
  template <typename Element>
  void store_as(Element* keys, Element* values, const float* key, const float* value) const;
  template <typename Element>
  void move_key(Element* keys, std::int32_t from, std::int32_t to) const;
  void move_slot(std::int32_t sequence, std::int32_t from, std::int32_t to);

  std::int32_t num_layers_, max_sequences_, num_heads_, head_dim_;
  ElementType type_;
  std::int64_t element_bytes_, head_bytes_;
  HugeBuffer keys_, values_;
};

}  // namespace speclab::engines::cpu
