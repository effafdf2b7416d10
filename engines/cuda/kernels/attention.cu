// Attention over the cache and the rows of the pass: a block reads 256 or 512 keys of one head for
// 16 query rows (rows of the pass times query heads of the group), the last block of a head and
// tile joins the parts. Parts begin at fixed slots, so that a row's result does not depend on the
// rows beside it.

#include "engines/cuda/kernels.h"
#include "engines/cuda/kernels/device_functions.cuh"
#include "engines/cuda/kernels/launch.cuh"

namespace speclab::engines::cuda {
namespace {

constexpr int kKeysPerWarp = 32, kQueryRows = 16;
template <int kHeadDim>
inline constexpr int kWarpsOf = warps_of_attention(kHeadDim);

/// A query row of the tile as one lane sees it.
struct QueryRow {
  bool is_there;
  int row, head;  ///< of the pass; query head
  int prefix, base;
  std::uint64_t extra;

  __device__ bool sees(int slot) const {
    return is_there &&
           (slot < prefix || (slot >= base && slot - base < 64 && (extra >> (slot - base) & 1)));
  }
  /// Nothing reads the result of a row that is not there, so it may see anything.
  __device__ bool sees_all_before(int slot) const { return !is_there || slot <= prefix; }
};

/// Factor of a part whose maximum is `maximum` in a whole whose maximum is `joint`; nothing where
/// the row sees none of the part's keys.
__device__ float weight_of(float maximum, float joint) {
  return maximum == -CUDART_INF_F ? 0.0f : exp2f(maximum - joint);
}

/// The warps' parts: of each query row the maximum of its scores, the sum of exp2(score - maximum),
/// and the values mixed by that.
template <int kHeadDim>
struct TileShared {
  static constexpr int kWarps = kWarpsOf<kHeadDim>;
  float maximum[kWarps][kQueryRows], sum[kWarps][kQueryRows], weight[kWarps][kQueryRows];
  float total[kQueryRows];
  /// Between rows, so that the eight rows that a warp stores at a time meet in no bank.
  static constexpr int kStride = kHeadDim + 8;
  alignas(16) float output[kWarps][kQueryRows][kStride];  ///< later the weights of the first
                                                          ///< kKeptWeights splits,
                                                          ///< [kQueryRows][splits]
  static constexpr int kKeptWeights = 64;
  bool is_last;
};

/// The 16 query rows and the keys of this thread block.
struct Tile {
  DeviceGroup group;
  int kv_head, heads_per_group, first_query, num_queries;
  int split, splits;   ///< splits in use
  std::int64_t place;  ///< among all tiles and heads
  int first_key;       ///< of this warp

  /// Whether all of this warp's keys were there before this pass.
  __device__ bool is_committed() const { return first_key + kKeysPerWarp <= group.committed; }
  __device__ bool has_keys() const { return first_key < group.end; }
};

/// Query row `index` of the tile.
__device__ QueryRow query_row(const ForwardState* state, const Tile& tile, int index) {
  if (index >= tile.num_queries) return {false, 0, 0, 0, 0, 0};
  const int query = tile.first_query + index,
            token = tile.group.first + query / tile.heads_per_group;
  const DeviceRow& row = state->rows[token];
  return {true,       token,    tile.kv_head * tile.heads_per_group + query % tile.heads_per_group,
          row.prefix, row.base, row.extra};
}

/// @return false where the grid is larger than the pass
template <int kHeadDim>
__device__ bool find_tile(const ForwardState* state, const AttentionBuffers& a, int tiles_per_group,
                          Tile& tile) {
  const int place = static_cast<int>(blockIdx.z);
  if (place / tiles_per_group >= state->num_groups) return false;
  tile.group = state->groups[place / tiles_per_group];
  tile.kv_head = static_cast<int>(blockIdx.x);
  tile.heads_per_group = a.heads / a.kv_heads;
  tile.first_query = place % tiles_per_group * kQueryRows;
  tile.num_queries = min(kQueryRows, tile.group.count * tile.heads_per_group - tile.first_query);
  tile.split = static_cast<int>(blockIdx.y);
  constexpr int kKeys = kKeysPerWarp * kWarpsOf<kHeadDim>;
  tile.splits = (tile.group.end + kKeys - 1) / kKeys;
  expect_in_emulation(tile.splits <= static_cast<int>(gridDim.y),
                      "attention was launched for fewer keys than a group has");
  tile.place = static_cast<std::int64_t>(place) * a.kv_heads + tile.kv_head;
  tile.first_key = tile.split * kKeys + static_cast<int>(threadIdx.x) / 32 * kKeysPerWarp;
  return tile.num_queries > 0 && tile.split < tile.splits;
}

template <int kHeadDim>
__device__ void load_queries(const AttentionBuffers& a, const QueryRow& row,
                             uint4 (&parts)[kHeadDim / 32]) {
  const auto* source =
      reinterpret_cast<const uint4*>(
          a.queries + (static_cast<std::int64_t>(row.row) * a.heads + row.head) * kHeadDim) +
      threadIdx.x % 4;
#pragma unroll
  for (int s = 0; s < kHeadDim / 32; ++s)
    parts[s] = row.is_there ? source[s * 4] : make_uint4(0, 0, 0, 0);
}

/// This lane's part of 32 keys and their values.
template <int kHeadDim>
struct KeyBlock {
  uint4 keys[4][kHeadDim / 32], values[kHeadDim / 8];

  /// Column c of tile t of the scores is key 8 (c / 2) + 2 t + c % 2, so that a lane's columns of
  /// the four tiles are 8 consecutive keys, and its 8 weights meet the 16 bytes of values that it
  /// loads.
  __device__ void load(const AttentionBuffers& a, const Tile& tile) {
    const int lane = static_cast<int>(threadIdx.x) % 32, column = lane / 4;
    const std::int64_t of_head =
        (static_cast<std::int64_t>(tile.group.sequence) * a.kv_heads + tile.kv_head) * a.capacity *
        kHeadDim;
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      const int key = tile.first_key + column / 2 * 8 + t * 2 + column % 2;
      const auto* source = reinterpret_cast<const uint4*>(
                               a.keys + of_head + static_cast<std::int64_t>(key) * kHeadDim) +
                           lane % 4;
#pragma unroll
      for (int s = 0; s < kHeadDim / 32; ++s) keys[t][s] = source[s * 4];
    }
#pragma unroll
    for (int d = 0; d < kHeadDim / 8; ++d)
      values[d] = *reinterpret_cast<const uint4*>(
          a.values + of_head + static_cast<std::int64_t>(d * 8 + lane / 4) * a.capacity +
          tile.first_key + lane % 4 * 8);
  }

  /// Values that no row sees become 0: their weight is 0, which does not undo what is no number.
  /// @param seen  bit i: of this lane's key i
  __device__ void drop_unseen(std::uint32_t seen) {
    const uint4 kept = make_uint4(both_halves(seen), both_halves(seen >> 2), both_halves(seen >> 4),
                                  both_halves(seen >> 6));
#pragma unroll
    for (int d = 0; d < kHeadDim / 8; ++d)
      values[d] = make_uint4(values[d].x & kept.x, values[d].y & kept.y, values[d].z & kept.z,
                             values[d].w & kept.w);
  }

 private:
  /// The mask of a pair of values by the lower two bits.
  static __device__ std::uint32_t both_halves(std::uint32_t bits) {
    return (bits & 1 ? 0xffffu : 0u) | (bits & 2 ? 0xffff0000u : 0u);
  }
};

/// Bit i: whether any row of the tile sees key i of the 8 whose values this lane loads.
__device__ std::uint32_t seen_by_some_row(const QueryRow& low, const QueryRow& high, int first) {
  const int begin = first + static_cast<int>(threadIdx.x) % 4 * 8;
  std::uint32_t seen = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) seen |= low.sees(begin + i) || high.sees(begin + i) ? 1u << i : 0u;
#pragma unroll
  for (int distance = 4; distance < 32; distance *= 2)
    seen |= __shfl_xor_sync(0xffffffffu, seen, distance);
  return seen;
}

/// Scores of the keys that a row does not see become minus infinity. `offset` is 0 for the row
/// lane / 4 and 2 for the row eight further.
__device__ void mask(const QueryRow& row, int first, int offset, float (&scores)[4][4]) {
  const int begin = first + static_cast<int>(threadIdx.x) % 4 * 8;
#pragma unroll
  for (int t = 0; t < 4; ++t)
#pragma unroll
    for (int e = 0; e < 2; ++e)
      if (!row.sees(begin + t * 2 + e)) scores[t][offset + e] = -CUDART_INF_F;
}

/// Takes the maximum and exponentiates in place. `offset` as for mask().
__device__ void softmax(float scale, int offset, float (&scores)[4][4], float& maximum,
                        float& sum) {
  maximum = -CUDART_INF_F;
#pragma unroll
  for (int t = 0; t < 4; ++t)
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      float& value = scores[t][offset + e];
      value *= scale;
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
__device__ void mix_values(const KeyBlock<kHeadDim>& block, const float (&weights)[4][4],
                           float (&output)[kHeadDim / 8][4]) {
  std::uint32_t a[4][2];
#pragma unroll
  for (int t = 0; t < 4; ++t) {
    a[t][0] = bfloat16_pair(weights[t][0], weights[t][1]);
    a[t][1] = bfloat16_pair(weights[t][2], weights[t][3]);
  }
#pragma unroll
  for (int d = 0; d < kHeadDim / 8; ++d) {
    multiply_add(output[d], a[0][0], a[0][1], a[1][0], a[1][1], block.values[d].x,
                 block.values[d].y);
    multiply_add(output[d], a[2][0], a[2][1], a[3][0], a[3][1], block.values[d].z,
                 block.values[d].w);
  }
}

/// Attention of the tile's rows to this warp's keys, to shared memory.
template <int kHeadDim>
__device__ void attend(const AttentionBuffers& a, const Tile& tile, const QueryRow& low,
                       const QueryRow& high, KeyBlock<kHeadDim>& block, float scale,
                       TileShared<kHeadDim>& shared) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  float maximum[2] = {-CUDART_INF_F, -CUDART_INF_F}, sum[2] = {0.0f, 0.0f},
        output[kHeadDim / 8][4] = {};
  if (tile.has_keys()) {
    uint4 low_parts[kHeadDim / 32], high_parts[kHeadDim / 32];
    load_queries<kHeadDim>(a, low, low_parts);
    load_queries<kHeadDim>(a, high, high_parts);
    float scores[4][4] = {};
#pragma unroll
    for (int t = 0; t < 4; ++t)
#pragma unroll
      for (int s = 0; s < kHeadDim / 32; ++s)
        multiply_add_32(scores[t], low_parts[s], high_parts[s], block.keys[t][s]);
    const int end = tile.first_key + kKeysPerWarp;
    const bool all_see_all = low.sees_all_before(end) && high.sees_all_before(end);
    if (!__all_sync(0xffffffffu, all_see_all)) {
      block.drop_unseen(seen_by_some_row(low, high, tile.first_key));
      mask(low, tile.first_key, 0, scores);
      mask(high, tile.first_key, 2, scores);
    }
    softmax(scale, 0, scores, maximum[0], sum[0]);
    softmax(scale, 2, scores, maximum[1], sum[1]);
    mix_values<kHeadDim>(block, scores, output);
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int row = lane / 4 + 8 * h;
    if (row >= tile.num_queries) break;
    shared.maximum[warp][row] = maximum[h];
    shared.sum[warp][row] = sum[h];
#pragma unroll
    for (int d = 0; d < kHeadDim / 8; ++d)
      *reinterpret_cast<float2*>(&shared.output[warp][row][d * 8 + lane % 4 * 2]) =
          make_float2(output[d][2 * h], output[d][2 * h + 1]);
  }
}

__device__ inline float warp_maximum(float value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

__device__ inline float warp_sum(float value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

/// Four consecutive values of a query row of the tile; a thread joins one such piece at a time.
template <int kHeadDim>
struct Piece {
  static constexpr int kOfRow = kHeadDim / 4;
  int row, first;

  __device__ explicit Piece(int number) : row(number / kOfRow), first(number % kOfRow * 4) {}
};

__device__ inline void add_weighted(float4& sum, float weight, const float4& part) {
  sum.x += weight * part.x;
  sum.y += weight * part.y;
  sum.z += weight * part.z;
  sum.w += weight * part.w;
}

/// A piece of the result, in bfloat16.
template <int kHeadDim>
__device__ void store_output(const AttentionBuffers& a, const Tile& tile,
                             const Piece<kHeadDim>& piece, const float4& mixed, float total) {
  const int query = tile.first_query + piece.row;
  const std::int64_t row = tile.group.first + query / tile.heads_per_group,
                     head = tile.kv_head * tile.heads_per_group + query % tile.heads_per_group;
  auto* out = reinterpret_cast<uint2*>(a.output + (row * a.heads + head) * kHeadDim + piece.first);
  *out = make_uint2(bfloat16_pair(mixed.x / total, mixed.y / total),
                    bfloat16_pair(mixed.z / total, mixed.w / total));
}

/// The warps' parts as one: the result where there is one split, else this split's part.
template <int kHeadDim>
__device__ void join_warps(const AttentionBuffers& a, const Tile& tile, int max_splits,
                           TileShared<kHeadDim>& shared) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const std::int64_t part = (tile.place * max_splits + tile.split) * kQueryRows;
  for (int r = warp; r < tile.num_queries; r += kWarpsOf<kHeadDim>) {
    const float own = lane < kWarpsOf<kHeadDim> ? shared.maximum[lane][r] : -CUDART_INF_F,
                joint = warp_maximum(own), weight = weight_of(own, joint);
    const float total = warp_sum(lane < kWarpsOf<kHeadDim> ? weight * shared.sum[lane][r] : 0.0f);
    if (lane < kWarpsOf<kHeadDim>) shared.weight[lane][r] = weight;
    if (lane != 0) continue;
    shared.total[r] = total;
    if (tile.splits > 1) a.partial_sums[part + r] = make_float2(joint, total);
  }
  __syncthreads();
  for (int i = thread; i < tile.num_queries * Piece<kHeadDim>::kOfRow;
       i += 32 * kWarpsOf<kHeadDim>) {
    const Piece<kHeadDim> piece(i);
    float4 mixed = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int w = 0; w < kWarpsOf<kHeadDim>; ++w)
      add_weighted(mixed, shared.weight[w][piece.row],
                   *reinterpret_cast<const float4*>(&shared.output[w][piece.row][piece.first]));
    if (tile.splits > 1)
      *reinterpret_cast<float4*>(a.partial_outputs + (part + piece.row) * kHeadDim + piece.first) =
          mixed;
    else
      store_output<kHeadDim>(a, tile, piece, mixed, shared.total[piece.row]);
  }
}

/// Query rows whose splits a warp weighs.
template <int kHeadDim>
inline constexpr int kRowsPerWarp = kQueryRows / kWarpsOf<kHeadDim>;

/// Sum and maximum of a split for each of this warp's rows, loaded side by side; of no split where
/// there is none.
/// @param sums  of this warp's first row; the others follow at a distance of kWarpsOf
template <int kHeadDim>
__device__ void load_sums(const float2* sums, int own_rows, bool is_there,
                          float2 (&parts)[kRowsPerWarp<kHeadDim>]) {
#pragma unroll
  for (int i = 0; i < kRowsPerWarp<kHeadDim>; ++i)
    parts[i] = is_there && i < own_rows ? __ldcg(&sums[i * kWarpsOf<kHeadDim>])
                                        : make_float2(-CUDART_INF_F, 0.0f);
}

/// Maximum and total of this warp's rows over all splits, and the weights of the first `kept` ones.
template <int kHeadDim>
__device__ void weigh_splits(const float2* sums, const Tile& tile, int kept, float* weights,
                             TileShared<kHeadDim>& shared) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32,
            own_rows = (tile.num_queries - warp + kWarpsOf<kHeadDim> - 1) / kWarpsOf<kHeadDim>;
  float joint[kRowsPerWarp<kHeadDim>], sum[kRowsPerWarp<kHeadDim>] = {};
  float2 first[kRowsPerWarp<kHeadDim>], parts[kRowsPerWarp<kHeadDim>];
  load_sums<kHeadDim>(sums + static_cast<std::int64_t>(lane) * kQueryRows + warp, own_rows,
                      lane < tile.splits, first);
#pragma unroll
  for (int i = 0; i < kRowsPerWarp<kHeadDim>; ++i) joint[i] = first[i].x;
  for (int s = lane + 32; s < tile.splits; s += 32) {
    load_sums<kHeadDim>(sums + static_cast<std::int64_t>(s) * kQueryRows + warp, own_rows, true,
                        parts);
#pragma unroll
    for (int i = 0; i < kRowsPerWarp<kHeadDim>; ++i) joint[i] = fmaxf(joint[i], parts[i].x);
  }
#pragma unroll
  for (int i = 0; i < kRowsPerWarp<kHeadDim>; ++i) joint[i] = warp_maximum(joint[i]);
  for (int s = lane; s < tile.splits; s += 32) {
    if (s != lane)
      load_sums<kHeadDim>(sums + static_cast<std::int64_t>(s) * kQueryRows + warp, own_rows, true,
                          first);
#pragma unroll
    for (int i = 0; i < kRowsPerWarp<kHeadDim>; ++i) {
      const float weight = weight_of(first[i].x, joint[i]);
      if (s < kept && i < own_rows) weights[(warp + i * kWarpsOf<kHeadDim>)*kept + s] = weight;
      sum[i] += weight * first[i].y;
    }
  }
#pragma unroll
  for (int i = 0; i < kRowsPerWarp<kHeadDim>; ++i) {
    sum[i] = warp_sum(sum[i]);
    if (lane != 0 || i >= own_rows) continue;
    shared.maximum[0][warp + i * kWarpsOf<kHeadDim>] = joint[i];
    shared.total[warp + i * kWarpsOf<kHeadDim>] = sum[i];
  }
}

/// One piece over splits [begin, end), added in their order; the loads of eight splits are under
/// way together.
template <int kHeadDim, typename Weight>
__device__ void mix_splits(const float* parts, int begin, int end, const Weight& weight,
                           float4& mixed) {
  constexpr int kAtOnce = 8;
  for (int s = begin; s < end; s += kAtOnce) {
    float4 loaded[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i)
      if (s + i < end)
        loaded[i] = __ldcg(reinterpret_cast<const float4*>(
            parts + static_cast<std::int64_t>(s + i) * kQueryRows * kHeadDim));
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i)
      if (s + i < end) add_weighted(mixed, weight(s + i), loaded[i]);
  }
}

/// The splits' parts as one, by the thread block that came last.
template <int kHeadDim>
__device__ void join_splits(const AttentionBuffers& a, const Tile& tile, int max_splits,
                            TileShared<kHeadDim>& shared) {
  const std::int64_t part = tile.place * max_splits * kQueryRows;
  const int kept = min(tile.splits, TileShared<kHeadDim>::kKeptWeights);
  float* weights = &shared.output[0][0][0];
  const float2* sums = a.partial_sums + part;
  weigh_splits<kHeadDim>(sums, tile, kept, weights, shared);
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < tile.num_queries * Piece<kHeadDim>::kOfRow;
       i += 32 * kWarpsOf<kHeadDim>) {
    const Piece<kHeadDim> piece(i);
    const float* parts = a.partial_outputs + (part + piece.row) * kHeadDim + piece.first;
    float4 mixed = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    mix_splits<kHeadDim>(
        parts, 0, kept, [&](int s) { return weights[piece.row * kept + s]; }, mixed);
    mix_splits<kHeadDim>(
        parts, kept, tile.splits,
        [&](int s) {
          return weight_of(__ldcg(&sums[piece.row + static_cast<std::int64_t>(s) * kQueryRows]).x,
                           shared.maximum[0][piece.row]);
        },
        mixed);
    store_output<kHeadDim>(a, tile, piece, mixed, shared.total[piece.row]);
  }
}

/// Whether all other splits of the tile have left their parts.
template <int kHeadDim>
__device__ bool comes_last(const AttentionBuffers& a, const Tile& tile,
                           TileShared<kHeadDim>& shared) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    shared.is_last = atomicAdd(a.arrivals + tile.place, 1) == tile.splits - 1;
    if (shared.is_last) a.arrivals[tile.place] = 0;
  }
  __syncthreads();
  return shared.is_last;
}

template <int kHeadDim>
__global__ void __launch_bounds__(32 * kWarpsOf<kHeadDim>, 1)
    attention(const ForwardState* state, const AttentionBuffers a, int tiles_per_group,
              int max_splits, float scale) {
  auto& shared = *dynamic_shared<TileShared<kHeadDim>>();
  let_next_kernel_start();
  Tile tile{};
  const bool is_needed = find_tile<kHeadDim>(state, a, tiles_per_group, tile);
  const int row = static_cast<int>(threadIdx.x) % 32 / 4;
  const QueryRow low = query_row(state, tile, row), high = query_row(state, tile, row + 8);
  KeyBlock<kHeadDim> block;
  if (is_needed && tile.is_committed()) block.load(a, tile);
  wait_for_previous_kernel();  // by every thread block: a kernel whose blocks all end without it
                               // lets the next one run before the one in front
  if (!is_needed) return;
  if (tile.has_keys() && !tile.is_committed()) block.load(a, tile);
  attend<kHeadDim>(a, tile, low, high, block, scale, shared);
  __syncthreads();
  join_warps<kHeadDim>(a, tile, max_splits, shared);
  if (tile.splits > 1 && comes_last<kHeadDim>(a, tile, shared)) {
    __threadfence();
    join_splits<kHeadDim>(a, tile, max_splits, shared);
  }
}

template <int kHeadDim>
void launch_attention_of(const ForwardState* state, const AttentionBuffers& a,
                         const PassShape& shape, const LaunchContext& context) {
  constexpr int kShared = static_cast<int>(sizeof(TileShared<kHeadDim>));
  static const bool allowed = (allow_shared_bytes(attention<kHeadDim>, kShared), true);
  (void)allowed;
  const int tiles = (shape.rows_per_group * (a.heads / a.kv_heads) + kQueryRows - 1) / kQueryRows;
  const dim3 grid(static_cast<unsigned>(a.kv_heads), static_cast<unsigned>(shape.splits),
                  static_cast<unsigned>(shape.groups * tiles));
  launch(Start::overlapping, attention<kHeadDim>, grid, 32 * kWarpsOf<kHeadDim>, kShared, context,
         state, a, tiles, shape.splits, 1.44269504f / sqrtf(static_cast<float>(kHeadDim)));
}

}  // namespace

void launch_attention(const ForwardState* state, const AttentionBuffers& a, const PassShape& shape,
                      const LaunchContext& context) {
  switch (a.head_dim) {
    case 32:
      return launch_attention_of<32>(state, a, shape, context);
    case 64:
      return launch_attention_of<64>(state, a, shape, context);
    case 128:
      return launch_attention_of<128>(state, a, shape, context);
    default:
      check(cudaErrorInvalidValue, "attention with heads of another size");
  }
}

}  // namespace speclab::engines::cuda
