// The four products of a layer, each with what follows it up to the next one.

#include "engines/cuda/kernels.h"
#include "engines/cuda/kernels/product_forms.cuh"

namespace speclab::engines::cuda {
namespace {

/// Rotates queries and keys by their position; keys and values go to the cache.
struct StoreQueryKeyValue {
  static constexpr bool kReducesBlocks = false;
  const ForwardState* state;
  AttentionBuffers a;

  __device__ std::uint16_t* head_of_cache(std::uint16_t* cache, int sequence, int head) const {
    return cache + (static_cast<std::int64_t>(sequence) * a.kv_heads + head) * a.capacity * a.head_dim;
  }

  __device__ void take_pair(int block, int r, int m, float low, float high, float&, float&) const {
    const int blocks_per_head = a.head_dim / kTileRows, half = a.head_dim / 2;
    const int head = block / blocks_per_head, within = block % blocks_per_head;
    const DeviceRow& row = state->rows[m];
    if (head >= a.heads + a.kv_heads) {
      std::uint16_t* value = head_of_cache(a.values, row.sequence, head - a.heads - a.kv_heads) + row.slot;
      const int dimension = within * kTileRows + r;
      value[static_cast<std::int64_t>(dimension) * a.capacity] = to_bfloat16(low);
      value[static_cast<std::int64_t>(dimension + 8) * a.capacity] = to_bfloat16(high);
      return;
    }
    const int i = within * 8 + r;
    const float2 turn = a.rotations[static_cast<std::int64_t>(row.position) * half + i];
    std::uint16_t* out = head < a.heads ? a.queries + (static_cast<std::int64_t>(m) * a.heads + head) * a.head_dim
                                        : head_of_cache(a.keys, row.sequence, head - a.heads) + static_cast<std::int64_t>(row.slot) * a.head_dim;
    out[i] = to_bfloat16(low * turn.x - high * turn.y);
    out[i + half] = to_bfloat16(high * turn.x + low * turn.y);
  }
};

struct AddToResidual {
  static constexpr bool kReducesBlocks = true;
  ResidualStream s;

  __device__ float add(int m, int i, float value) const {
    const std::int64_t at = static_cast<std::int64_t>(m) * s.hidden + i;
    const float sum = s.values[at] + value;
    s.values[at] = sum;
    if (s.kept != nullptr) s.kept[at] = sum;
    s.gained[at] = to_bfloat16(sum * s.gain[i]);
    return sum;
  }
  __device__ void take_pair(int block, int r, int m, float low, float high, float& square, float&) const {
    const float a = add(m, block * kTileRows + r, low), b = add(m, block * kTileRows + r + 8, high);
    square = a * a + b * b;
  }
  __device__ void reduce_block(int block, int m, int columns, const float* squares, const float*) const {
    float sum = 0.0f;
    for (int r = 0; r < 8; ++r) sum += squares[r * columns];
    s.partials[static_cast<std::int64_t>(m) * (s.hidden / kTileRows) + block] = sum;
  }
};

struct GatedSilu {
  static constexpr bool kReducesBlocks = false;
  std::uint16_t* inner;
  std::int32_t intermediate;

  __device__ void take_pair(int block, int r, int m, float gate, float up, float&, float&) const {
    inner[static_cast<std::int64_t>(m) * intermediate + block * 8 + r] = to_bfloat16(gate / (1.0f + __expf(-gate)) * up);
  }
};

}  // namespace

void launch_query_key_value(const ForwardState* state, const ProductArguments& a, const AttentionBuffers& attention, int rows, const LaunchContext& context) {
  launch_product(a, StoreQueryKeyValue{state, attention}, rows, context);
}

void launch_add_to_residual(const ProductArguments& a, const ResidualStream& stream, int rows, const LaunchContext& context) {
  launch_product(a, AddToResidual{stream}, rows, context);
}

void launch_gated_silu(const ProductArguments& a, std::uint16_t* inner, int rows, const LaunchContext& context) {
  launch_product(a, GatedSilu{inner, a.blocks * 8}, rows, context);
}

}  // namespace speclab::engines::cuda
