#pragma once
// The buffers of one forward. They are made once, and grow where a forward has more rows.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engines/cpu/kv_cache_cpu.h"
#include "engines/cpu/packed_decoder.h"
#include "engines/interface/language_model.h"
#include "engines/models/decoder_shape.h"

namespace speclab::engines::cpu {

/// Cosines and sines of a rotary base, position by position; computed in double, and only as far as
/// a cache reaches.
class RotationTable {
 public:
  RotationTable(const DecoderShape& shape, RotaryBase base) : shape_(shape), base_(base) {}

  /// Makes rows for the positions below `length`, the context's at most.
  void reach(std::int32_t length);
  /// Turns one head; values that do not turn, and padding, are copied.
  /// @param in, out  [size], two arrays
  void rotate(const float* in, std::int32_t position, std::int32_t size, float* out) const;

 private:
  DecoderShape shape_;
  RotaryBase base_;
  std::vector<float> table_;  ///< [positions, 2, rotary_size / 2]: cosines, sines
};

/// Buffers of one thread.
struct Scratch {
  std::vector<float> scores, weighted, head;
  HugeBuffer block;           ///< one block of low-bit columns, expanded
  HugeBuffer made;            ///< one block of streamed columns
  std::vector<float> values;  ///< of one of them
};

/// Rows of a forward that an expert was chosen for, one behind the other in the slots.
struct ExpertTask {
  std::int32_t expert;
  int first_slot, num_slots;
};

struct ExpertRoom {
  std::vector<float> router_logits, in, inner, out;
  std::vector<std::int32_t> chosen;  ///< [rows, experts_per_token], rising
  std::vector<float> weights;        ///< likewise
  std::vector<ExpertTask> tasks;
  std::vector<std::int32_t> slot_rows;      ///< row of every slot
  std::vector<std::int32_t> slots_of_rows;  ///< [rows, experts_per_token]
};

/// Buffers of activations hold the products' element type.
struct Workspace {
  Workspace(const PackedDecoder& model, std::shared_ptr<ThreadTeam> the_team,
            const CpuKernels* the_kernels);
  /// Takes the rows of a forward, and makes room for them.
  void begin(const PackedDecoder& model, std::span<const ForwardRow> new_rows,
             KvCacheCpu& new_cache);

  std::shared_ptr<ThreadTeam> team;
  const CpuKernels* kernels;
  RotationTable global_rotation, window_rotation;

  std::span<const ForwardRow> rows;  ///< of the running forward
  KvCacheCpu* cache = nullptr;
  std::vector<std::int32_t> going_on;  ///< rows that want logits or a hidden state: the last layer
                                       ///< ends for the others with their keys
  std::vector<std::int32_t> logit_rows, hidden_rows;  ///< indices into going_on
  std::vector<float> embedded;  ///< [rows, table] where the table stays in its file
  std::vector<float> x, projected, normed, attended, inner, block, table_rows, logits, hidden;
  ExpertRoom experts;
  std::vector<BFloat16Group> product_rows;  ///< room for the rows of one product
  std::vector<Scratch> scratch;
};

constexpr std::int64_t element_bytes(ElementType type) {
  return type == ElementType::float32 ? 4 : 2;
}

/// One thread of the team in a forward. All threads run the same steps.
struct Worker {
  const PackedDecoder& model;
  Workspace& room;
  int rank;

  int num_rows() const { return static_cast<int>(room.rows.size()); }
  void barrier() const { room.team->barrier(); }
  Scratch& scratch() const { return room.scratch[static_cast<std::size_t>(rank)]; }
  /// This thread's part of [0, count).
  Range share(int count) const { return cpu::share(count, rank, room.team->size()); }
  /// Calls work(range) on this thread for its part of [0, count). Few rows are cut once, so that
  /// every thread streams one stretch of weights; many are dealt in grains as threads come for
  /// them, so that none waits for one that was held up.
  template <typename Work>
  void deal(int rows, int count, int grain, const Work& work) const {
    constexpr int kManyRows = 32;
    if (rows < kManyRows) return work(share(count));
    for (int begin; (begin = room.team->take() * grain) < count;)
      work(Range{begin, std::min(begin + grain, count)});
  }
  /// The residual stream of a row.
  float* stream(std::int64_t row) const { return room.x.data() + row * model.widths.hidden; }
  /// Element `index` of a buffer of activations.
  void* activation(std::vector<float>& buffer, std::int64_t index) const {
    return reinterpret_cast<char*>(buffer.data()) + index * element_bytes(model.type);
  }
};

}  // namespace speclab::engines::cpu
