#pragma once
#include <map>
#include <tuple>

#include "engines/cuda/device.h"
#include "engines/cuda/device_memory.h"
#include "engines/cuda/kernels.h"
#include "engines/models/decoder_shape.h"
#include "engines/models/row_plan.h"

namespace speclab::engines::cuda {

/// Keys and values in bfloat16 on the device: keys slot by slot, values dimension by dimension. It
/// owns the graphs that were captured over its memory. Its lengths are those committed through the
/// interface: rounds on the device move their sequences on by themselves.
class KvCacheCuda final : public PlannedKvCache {
 public:
  /// @param device  outlives the cache
  KvCacheCuda(const DecoderShape& config, const Device& device, std::int32_t max_sequences,
              std::int32_t capacity);

  /// Bytes of keys and values of one token, all layers together.
  static std::int64_t bytes_per_token(const DecoderShape& config) {
    return cache_elements_per_token(config) * static_cast<std::int64_t>(sizeof(std::uint16_t));
  }

  void commit(std::int32_t sequence, std::span<const std::int32_t> rows) override;
  void keep(std::int32_t sequence, std::span<const std::int32_t> rows) override;
  /// Those of `layer`; the rest is the model's.
  AttentionBuffers buffers(std::int32_t layer) const;
  CachedSequence cached(std::int32_t sequence) const;
  /// Makes room to join the parts of a pass of this shape; where it was lacking, the graphs are
  /// dropped.
  void make_room(const PassShape& shape);
  /// Another number for other buffers, of this or of another cache: what was captured over them is
  /// over.
  std::uint64_t generation() const { return generation_; }
  /// Splits that a pass over the first `slots` slots of a sequence is captured for: a power of two,
  /// at least 2, as far as there are so many.
  std::int32_t splits_for(std::int32_t slots) const;

  using GraphKey =
      std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t, bool>;
  std::map<GraphKey, Graph>& graphs() { return graphs_; }

 private:
  void copy_entries(std::int32_t from, std::int32_t to) override;
  std::int64_t layer_elements() const;
  std::int32_t max_splits() const { return stride_ / keys_per_split(config_.head_dim); }

  DecoderShape config_;
  const Device& device_;
  std::int32_t max_sequences_, stride_;  ///< slots of a sequence, a multiple of a split's keys
  DeviceArray<std::uint16_t> keys_, values_;
  DeviceArray<float> partial_outputs_;
  DeviceArray<std::uint64_t> partial_sums_;
  DeviceArray<std::int32_t> arrivals_;
  std::map<GraphKey, Graph> graphs_;
  std::uint64_t generation_;
};

}  // namespace speclab::engines::cuda
