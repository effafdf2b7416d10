// Attention over the cache and the rows of the pass: a block reads 128 keys of one head for 16 query rows (rows of the pass times
// query heads of the group), the last block of a head and tile joins the parts. Parts begin at fixed slots, so that a row's
// result does not depend on the rows beside it.

#include <math_constants.h>

#include "engines/cuda/kernels.h"
#include "engines/cuda/kernels/device_functions.cuh"
#include "engines/cuda/kernels/launch.cuh"

namespace speclab::engines::cuda {
namespace {

constexpr int kAttentionWarps = 4, kKeysPerWarp = kKeysPerSplit / kAttentionWarps, kQueryRows = 16;
static_assert(kKeysPerWarp == 32);

/// A query row of the tile as one lane sees it.
struct QueryRow {
  bool is_there;
  int row, head;                 ///< of the pass; query head
  int prefix, base;
  std::uint64_t extra;

  __device__ bool sees(int slot) const {
    return is_there && (slot < prefix || (slot >= base && slot - base < 64 && (extra >> (slot - base) & 1)));
  }
};

__device__ QueryRow query_row(const ForwardState* state, const DeviceGroup& group, int index, int kv_head, int heads_per_group) {
  const int token = index / heads_per_group;
  if (token >= group.count) return {false, 0, 0, 0, 0, 0};
  const DeviceRow& row = state->rows[group.first + token];
  return {true, group.first + token, kv_head * heads_per_group + index % heads_per_group, row.prefix, row.base, row.extra};
}

/// Maximum and sum of one row over some keys, with the values mixed by exp2(score - maximum).
__device__ float weight_of(float maximum, float joint) { return maximum == -CUDART_INF_F ? 0.0f : exp2f(maximum - joint); }

template <int kHeadDim>
struct TileShared {
  float maximum[kAttentionWarps][kQueryRows], sum[kAttentionWarps][kQueryRows];
  float output[kAttentionWarps][kQueryRows][kHeadDim];
  bool is_last;
};

template <int kHeadDim>
__device__ void load_queries(const AttentionBuffers& a, const QueryRow& row, uint4 (&parts)[kHeadDim / 32]) {
  const auto* source = reinterpret_cast<const uint4*>(a.queries + (static_cast<std::int64_t>(row.row) * a.heads + row.head) * kHeadDim) + threadIdx.x % 4;
#pragma unroll
  for (int s = 0; s < kHeadDim / 32; ++s) parts[s] = row.is_there ? source[s * 4] : make_uint4(0, 0, 0, 0);
}

/// Scores of this lane's two rows with the 32 keys from `first` on, in units of log 2. Column c of tile t is key 8 (c / 2) + 2 t + c % 2, so
/// that a lane's columns of the four tiles are 8 consecutive keys.
template <int kHeadDim>
__device__ void score(const std::uint16_t* keys, int first, const uint4 (&low)[kHeadDim / 32], const uint4 (&high)[kHeadDim / 32], float (&scores)[4][4]) {
  const int column = static_cast<int>(threadIdx.x) % 32 / 4;
#pragma unroll
  for (int t = 0; t < 4; ++t) {
    const int key = first + column / 2 * 8 + t * 2 + column % 2;
    const auto* source = reinterpret_cast<const uint4*>(keys + static_cast<std::int64_t>(key) * kHeadDim) + threadIdx.x % 4;
#pragma unroll
    for (int s = 0; s < kHeadDim / 32; ++s) multiply_add_32(scores[t], low[s], high[s], source[s * 4]);
  }
}

/// Masks, takes the maximum and exponentiates in place. `offset` is 0 for the row lane / 4 and 2 for the row eight further.
__device__ void softmax(const QueryRow& row, int first, float scale, int offset, float (&scores)[4][4], float& maximum, float& sum) {
  maximum = -CUDART_INF_F;
  const int begin = first + static_cast<int>(threadIdx.x) % 4 * 8;
#pragma unroll
  for (int t = 0; t < 4; ++t)
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      float& value = scores[t][offset + e];
      value = row.sees(begin + t * 2 + e) ? value * scale : -CUDART_INF_F;
      maximum = fmaxf(maximum, value);
    }
  maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, 1));
  maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, 2));
  sum = 0.0f;
#pragma unroll
  for (int t = 0; t < 4; ++t)
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      float& value = scores[t][offset + e];
      value = value == -CUDART_INF_F ? 0.0f : exp2f(value - maximum);
      sum += value;
    }
  sum += __shfl_xor_sync(0xffffffffu, sum, 1);
  sum += __shfl_xor_sync(0xffffffffu, sum, 2);
}

template <int kHeadDim>
__device__ void mix_values(const std::uint16_t* values, int capacity, int first, const float (&weights)[4][4], float (&output)[kHeadDim / 8][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  std::uint32_t a[4][2];
#pragma unroll
  for (int t = 0; t < 4; ++t) {
    a[t][0] = bfloat16_pair(weights[t][0], weights[t][1]);
    a[t][1] = bfloat16_pair(weights[t][2], weights[t][3]);
  }
#pragma unroll
  for (int d = 0; d < kHeadDim / 8; ++d) {
    const uint4 b = *reinterpret_cast<const uint4*>(values + static_cast<std::int64_t>(d * 8 + lane / 4) * capacity + first + lane % 4 * 8);
    multiply_add(output[d], a[0][0], a[0][1], a[1][0], a[1][1], b.x, b.y);
    multiply_add(output[d], a[2][0], a[2][1], a[3][0], a[3][1], b.z, b.w);
  }
}

/// What the warp found, to shared memory.
template <int kHeadDim>
__device__ void leave_part(TileShared<kHeadDim>& shared, const float (&maximum)[2], const float (&sum)[2], const float (&output)[kHeadDim / 8][4]) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32, row = lane / 4;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    shared.maximum[warp][row + 8 * h] = maximum[h];
    shared.sum[warp][row + 8 * h] = sum[h];
#pragma unroll
    for (int d = 0; d < kHeadDim / 8; ++d) {
      float* out = &shared.output[warp][row + 8 * h][d * 8 + lane % 4 * 2];
      out[0] = output[d][2 * h];
      out[1] = output[d][2 * h + 1];
    }
  }
}

template <int kHeadDim>
__global__ void __launch_bounds__(32 * kAttentionWarps) attention(const ForwardState* state, const AttentionBuffers a, int tiles_per_group, int max_splits, float scale) {
  extern __shared__ unsigned char raw[];
  auto& shared = *reinterpret_cast<TileShared<kHeadDim>*>(raw);
  let_next_kernel_start();
  wait_for_previous_kernel();
  const int kv_head = static_cast<int>(blockIdx.x), split = static_cast<int>(blockIdx.y), place = static_cast<int>(blockIdx.z);
  if (place / tiles_per_group >= state->num_groups) return;
  const DeviceGroup group = state->groups[place / tiles_per_group];
  const int heads_per_group = a.heads / a.kv_heads, first_query = place % tiles_per_group * kQueryRows;
  const int splits = (group.end + kKeysPerSplit - 1) / kKeysPerSplit;
  if (first_query >= group.count * heads_per_group || split >= splits) return;

  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const QueryRow low = query_row(state, group, first_query + lane / 4, kv_head, heads_per_group);
  const QueryRow high = query_row(state, group, first_query + lane / 4 + 8, kv_head, heads_per_group);
  const std::int64_t of_head = (static_cast<std::int64_t>(group.sequence) * a.kv_heads + kv_head) * a.capacity * kHeadDim;
  const int first_key = split * kKeysPerSplit + warp * kKeysPerWarp;
  float maximum[2] = {-CUDART_INF_F, -CUDART_INF_F}, sum[2] = {0.0f, 0.0f}, output[kHeadDim / 8][4] = {};
  if (first_key < group.end) {
    uint4 low_parts[kHeadDim / 32], high_parts[kHeadDim / 32];
    load_queries<kHeadDim>(a, low, low_parts);
    load_queries<kHeadDim>(a, high, high_parts);
    float scores[4][4] = {};
    score<kHeadDim>(a.keys + of_head, first_key, low_parts, high_parts, scores);
    softmax(low, first_key, scale, 0, scores, maximum[0], sum[0]);
    softmax(high, first_key, scale, 2, scores, maximum[1], sum[1]);
    mix_values<kHeadDim>(a.values + of_head, a.capacity, first_key, scores, output);
  }
  leave_part<kHeadDim>(shared, maximum, sum, output);
  __syncthreads();

  // The four warps' parts as one; alone it is the result, else it waits for the other splits.
  const std::int64_t tile = static_cast<std::int64_t>(place) * a.kv_heads + kv_head;
  for (int i = thread; i < kQueryRows * kHeadDim; i += 32 * kAttentionWarps) {
    const int r = i / kHeadDim, d = i % kHeadDim;
    float joint = -CUDART_INF_F, total = 0.0f, mixed = 0.0f;
    for (int w = 0; w < kAttentionWarps; ++w) joint = fmaxf(joint, shared.maximum[w][r]);
    for (int w = 0; w < kAttentionWarps; ++w) {
      const float weight = weight_of(shared.maximum[w][r], joint);
      total += weight * shared.sum[w][r];
      mixed += weight * shared.output[w][r][d];
    }
    const std::int64_t part = (tile * max_splits + split) * kQueryRows + r;
    if (splits > 1) {
      a.partial_outputs[part * kHeadDim + d] = mixed;
      if (d == 0) a.partial_sums[part] = make_float2(joint, total);
      continue;
    }
    const QueryRow row = query_row(state, group, first_query + r, kv_head, heads_per_group);
    if (row.is_there) a.output[(static_cast<std::int64_t>(row.row) * a.heads + row.head) * kHeadDim + d] = to_bfloat16(mixed / total);
  }
  if (splits == 1) return;
  __threadfence();
  __syncthreads();
  if (thread == 0) shared.is_last = atomicAdd(a.arrivals + tile, 1) == splits - 1;
  __syncthreads();
  if (!shared.is_last) return;
  __threadfence();
  for (int i = thread; i < kQueryRows * kHeadDim; i += 32 * kAttentionWarps) {
    const int r = i / kHeadDim, d = i % kHeadDim;
    const std::int64_t part = tile * max_splits * kQueryRows + r;
    float joint = -CUDART_INF_F, total = 0.0f, mixed = 0.0f;
    for (int s = 0; s < splits; ++s) joint = fmaxf(joint, __ldcg(&a.partial_sums[part + s * kQueryRows]).x);
    for (int s = 0; s < splits; ++s) {
      const float2 sums = __ldcg(&a.partial_sums[part + s * kQueryRows]);
      const float weight = weight_of(sums.x, joint);
      total += weight * sums.y;
      mixed += weight * __ldcg(&a.partial_outputs[(part + s * kQueryRows) * kHeadDim + d]);
    }
    const QueryRow row = query_row(state, group, first_query + r, kv_head, heads_per_group);
    if (row.is_there) a.output[(static_cast<std::int64_t>(row.row) * a.heads + row.head) * kHeadDim + d] = to_bfloat16(mixed / total);
  }
  if (thread == 0) a.arrivals[tile] = 0;
}

template <int kHeadDim>
void launch_attention_of(const ForwardState* state, const AttentionBuffers& a, const PassShape& shape, const LaunchContext& context) {
  constexpr int kShared = static_cast<int>(sizeof(TileShared<kHeadDim>));
  static const bool allowed = (allow_shared_bytes(attention<kHeadDim>, kShared), true);
  (void)allowed;
  const int tiles = (shape.rows_per_group * (a.heads / a.kv_heads) + kQueryRows - 1) / kQueryRows;
  const dim3 grid(static_cast<unsigned>(a.kv_heads), static_cast<unsigned>(shape.splits), static_cast<unsigned>(shape.groups * tiles));
  launch(Start::overlapping, attention<kHeadDim>, grid, 32 * kAttentionWarps, kShared, context.stream, state, a, tiles, shape.splits,
         1.44269504f / sqrtf(static_cast<float>(kHeadDim)));
}

}  // namespace

void launch_attention(const ForwardState* state, const AttentionBuffers& a, const PassShape& shape, const LaunchContext& context) {
  switch (a.head_dim) {
    case 32: return launch_attention_of<32>(state, a, shape, context);
    case 64: return launch_attention_of<64>(state, a, shape, context);
    case 128: return launch_attention_of<128>(state, a, shape, context);
    default: refuse_head_dim(a.head_dim);
  }
}

}  // namespace speclab::engines::cuda
