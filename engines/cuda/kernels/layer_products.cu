// The four products of a layer, each with what follows it up to the next one.

#include "engines/cuda/kernels.h"
#include "engines/cuda/kernels/product_forms.cuh"

namespace speclab::engines::cuda {
namespace {

/// Adds biases where there are any, and rotates queries and keys by their position; keys and values
/// go to the cache.
struct StoreQueryKeyValue {
  static constexpr bool kReducesBlocks = false;
  const ForwardState* state;
  AttentionBuffers a;

  /// Where a row's keys and values go, and by which angle the pair turns. Biases come late: early
  /// ones would spill registers of every model.
  struct Early {
    std::int32_t sequence, slot;
    float2 turn;
  };

  __device__ bool is_value(int block) const {
    return block / (a.head_dim / kTileRows) >= a.heads + a.kv_heads;
  }

  __device__ Early load_early(int block, int r, int m) const {
    const DeviceRow& row = state->rows[m];
    const int half = a.head_dim / 2, i = block % (a.head_dim / kTileRows) * 8 + r;
    return {row.sequence, row.slot,
            is_value(block) ? make_float2(1.0f, 0.0f)
                            : a.rotations[static_cast<std::int64_t>(row.position) * half + i]};
  }

  __device__ std::uint16_t* head_of_cache(std::uint16_t* cache, int sequence, int head) const {
    return cache +
           (static_cast<std::int64_t>(sequence) * a.kv_heads + head) * a.capacity * a.head_dim;
  }

  __device__ void take_pair(int block, int r, int m, float low, float high, const Early& row,
                            float&, float&) const {
    const int blocks_per_head = a.head_dim / kTileRows, half = a.head_dim / 2;
    const int head = block / blocks_per_head, within = block % blocks_per_head;
    if (a.bias != nullptr) {
      low += a.bias[block * kTileRows + r];
      high += a.bias[block * kTileRows + r + 8];
    }
    if (is_value(block)) {
      std::uint16_t* value =
          head_of_cache(a.values, row.sequence, head - a.heads - a.kv_heads) + row.slot;
      const int dimension = within * kTileRows + r;
      value[static_cast<std::int64_t>(dimension) * a.capacity] = to_bfloat16(low);
      value[static_cast<std::int64_t>(dimension + 8) * a.capacity] = to_bfloat16(high);
      return;
    }
    const int i = within * 8 + r;
    std::uint16_t* out =
        head < a.heads ? a.queries + (static_cast<std::int64_t>(m) * a.heads + head) * a.head_dim
                       : head_of_cache(a.keys, row.sequence, head - a.heads) +
                             static_cast<std::int64_t>(row.slot) * a.head_dim;
    out[i] = to_bfloat16(low * row.turn.x - high * row.turn.y);
    out[i + half] = to_bfloat16(high * row.turn.x + low * row.turn.y);
  }
};

struct AddToResidual {
  static constexpr bool kReducesBlocks = true;
  ResidualStream s;

  /// The stream and the next norm's gain.
  struct Early {
    float low, high, low_gain, high_gain;
  };

  __device__ Early load_early(int block, int r, int m) const {
    const int i = block * kTileRows + r;
    const float* values = s.values + static_cast<std::int64_t>(m) * s.hidden + i;
    return {values[0], values[8], s.gain[i], s.gain[i + 8]};
  }

  __device__ float leave(int m, int i, float sum, float gain) const {
    const std::int64_t at = static_cast<std::int64_t>(m) * s.hidden + i;
    s.values[at] = sum;
    if (s.kept != nullptr) s.kept[at] = sum;
    s.gained[at] = to_bfloat16(sum * gain);
    return sum;
  }
  __device__ void take_pair(int block, int r, int m, float low, float high, const Early& before,
                            float& square, float&) const {
    const int i = block * kTileRows + r;
    const float a = leave(m, i, before.low + low, before.low_gain),
                b = leave(m, i + 8, before.high + high, before.high_gain);
    square = a * a + b * b;
  }
  __device__ void reduce_block(int block, int m, int columns, const float* squares,
                               const float*) const {
    float sum = 0.0f;
    for (int r = 0; r < 8; ++r) sum += squares[r * columns];
    s.partials[static_cast<std::int64_t>(m) * (s.hidden / kTileRows) + block] = sum;
  }
};

struct GatedSilu {
  static constexpr bool kReducesBlocks = false;
  using Early = NothingEarly;
  std::uint16_t* inner;
  std::int32_t intermediate;

  __device__ Early load_early(int, int, int) const { return {}; }
  __device__ void take_pair(int block, int r, int m, float gate, float up, const Early&, float&,
                            float&) const {
    inner[static_cast<std::int64_t>(m) * intermediate + block * 8 + r] =
        to_bfloat16(gate / (1.0f + __expf(-gate)) * up);
  }
};

}  // namespace

void launch_query_key_value(const ForwardState* state, const ProductArguments& a,
                            const AttentionBuffers& attention, int rows,
                            const LaunchContext& context) {
  launch_product(a, StoreQueryKeyValue{state, attention}, rows, context);
}

void launch_add_to_residual(const ProductArguments& a, const ResidualStream& stream, int rows,
                            const LaunchContext& context) {
  launch_product(a, AddToResidual{stream}, rows, context);
}

void launch_gated_silu(const ProductArguments& a, std::uint16_t* inner, int rows,
                       const LaunchContext& context) {
  launch_product(a, GatedSilu{inner, a.blocks * 8}, rows, context);
}

}  // namespace speclab::engines::cuda
