// What stands before the first layer and behind the last one.

#include <algorithm>

#include "engines/cuda/kernels.h"
#include "engines/cuda/kernels/product_forms.cuh"

namespace speclab::engines::cuda {
namespace {

/// Eight values of a row of the table become the stream, in vectors. @return `sum` and their
/// squares
__device__ float embed_8(const uint4& values, const float4& low_gain, const float4& high_gain,
                         float4* stream, uint4* gained, float sum) {
  const std::uint32_t pairs[4]{values.x, values.y, values.z, values.w};
  const float factors[8]{low_gain.x,  low_gain.y,  low_gain.z,  low_gain.w,
                         high_gain.x, high_gain.y, high_gain.z, high_gain.w};
  float value[8];
  std::uint32_t products[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    value[2 * i] = from_bfloat16(static_cast<std::uint16_t>(pairs[i]));
    value[2 * i + 1] = from_bfloat16(static_cast<std::uint16_t>(pairs[i] >> 16));
    products[i] =
        bfloat16_pair(value[2 * i] * factors[2 * i], value[2 * i + 1] * factors[2 * i + 1]);
  }
  stream[0] = make_float4(value[0], value[1], value[2], value[3]);
  stream[1] = make_float4(value[4], value[5], value[6], value[7]);
  *gained = make_uint4(products[0], products[1], products[2], products[3]);
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += value[i] * value[i];
  return sum;
}

/// One thread block a row; a thread takes 16 values at a time, 32 consecutive bytes of the table,
/// whose squares are one partial sum.
__global__ void embed(const ForwardState* state, const std::uint16_t* table,
                      const ResidualStream s) {
  let_next_kernel_start();
  wait_for_previous_kernel();
  const int m = static_cast<int>(blockIdx.x);
  if (m >= state->num_rows) return;
  const int token = state->rows[m].token;
  for (int part = static_cast<int>(threadIdx.x); part < s.hidden / kTileRows;
       part += static_cast<int>(blockDim.x)) {
    const int i = part * kTileRows;
    const std::int64_t at = static_cast<std::int64_t>(m) * s.hidden + i;
    const auto* source = reinterpret_cast<const uint4*>(table + packed_index(token, i, s.hidden));
    const auto* gain = reinterpret_cast<const float4*>(s.gain + i);
    auto* stream = reinterpret_cast<float4*>(s.values + at);
    auto* gained = reinterpret_cast<uint4*>(s.gained + at);
    const uint4 first = source[0],
                second =
                    source[1];  // all loads before the first store, behind which they would wait
    const float4 gains[4]{gain[0], gain[1], gain[2], gain[3]};
    const float sum = embed_8(first, gains[0], gains[1], stream, gained, 0.0f);
    s.partials[static_cast<std::int64_t>(m) * (s.hidden / kTileRows) + part] =
        embed_8(second, gains[2], gains[3], stream + 2, gained + 1, sum);
  }
}

struct StoreLogits {
  static constexpr bool kReducesBlocks = true;
  using Early = NothingEarly;
  float* logits;
  BestLogit* best;
  std::int32_t vocab, blocks;

  __device__ Early load_early(int, int, int) const { return {}; }
  __device__ void take_pair(int block, int r, int m, float low, float high, const Early&,
                            float& value, float& token) const {
    const int i = block * kTileRows + r;
    float* row = logits + static_cast<std::int64_t>(m) * vocab;
    if (i < vocab) row[i] = low;
    if (i + 8 < vocab) row[i + 8] = high;
    const bool second =
        i + 8 < vocab && !(high <= low);  // also where it is no number, which must not be lost
    value = i >= vocab ? __int_as_float(0xff800000) : second ? high : low;
    token = __int_as_float(second ? i + 8 : i);
  }
  /// Ties go to the lower token, as in the host's arg max; what is no number stays.
  __device__ void reduce_block(int block, int m, int columns, const float* values,
                               const float* tokens) const {
    BestLogit found{values[0], __float_as_int(tokens[0])};
    for (int r = 1; r < 8; ++r) {
      const float value = values[r * columns];
      const int token = __float_as_int(tokens[r * columns]);
      const bool is_number = found.value == found.value;
      if (is_number && (!(value <= found.value) || (value == found.value && token < found.token)))
        found = {value, token};
    }
    best[static_cast<std::int64_t>(m) * blocks + block] = found;
  }
};

/// Thread blocks (row, part of the vocabulary).
__global__ void spread_logits(const std::int32_t* num_rows, const DraftLogits draft, float* logits,
                              BestLogit* best, int blocks) {
  wait_for_previous_kernel();
  const int m = static_cast<int>(blockIdx.x),
            first = static_cast<int>(blockIdx.y * blockDim.x + threadIdx.x),
            step = static_cast<int>(gridDim.y * blockDim.x);
  if (m >= *num_rows) return;
  for (int token = first; token < draft.vocab; token += step) {
    const std::int32_t row = draft.rows[token];
    logits[static_cast<std::int64_t>(m) * draft.vocab + token] =
        row < 0 ? __int_as_float(0xff800000)
                : draft.logits[static_cast<std::int64_t>(m) * draft.size + row];
  }
  for (int block = first; block < blocks; block += step) {
    BestLogit& found = best[static_cast<std::int64_t>(m) * blocks + block];
    found.token = draft.tokens[found.token];
  }
}

/// One thread block a row that wants it; every warp adds up the squares in compute_scales' order.
__global__ void hidden_states(const ProductArguments a, const ResidualStream s, float* hidden) {
  wait_for_previous_kernel();
  const int m = static_cast<int>(blockIdx.x);
  if (m >= *a.num_rows) return;
  const int row = a.gather[m];
  float sum = 0.0f;
  for (int i = static_cast<int>(threadIdx.x) % 32; i < a.num_partials; i += 32)
    sum += a.partials[static_cast<std::int64_t>(row) * a.num_partials + i];
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  const float scale = rsqrtf(sum * a.inverse_size + a.epsilon);
  for (int i = static_cast<int>(threadIdx.x); i < s.hidden; i += static_cast<int>(blockDim.x))
    hidden[static_cast<std::int64_t>(m) * s.hidden + i] =
        s.values[static_cast<std::int64_t>(row) * s.hidden + i] * scale * s.gain[i];
}

__device__ const SlotMoves& moves_of(const SlotMoves& moves) { return moves; }
__device__ const SlotMoves& moves_of(const SlotMoves* moves) { return *moves; }

/// One thread block a layer and head: all entries are read before one is written.
template <typename Moves>
__global__ void move_slots(const CachedSequence cache, const Moves given) {
  std::uint16_t* held = dynamic_shared<std::uint16_t>();  // [2, count, head_dim]
  wait_for_previous_kernel();
  const SlotMoves& moves = moves_of(given);
  const int count = moves.count;
  if (count == 0 || moves.from[count - 1] == moves.first + count - 1)
    return;  // ascending: all are in their place
  const int layer = static_cast<int>(blockIdx.x) / cache.kv_heads,
            head = static_cast<int>(blockIdx.x) % cache.kv_heads;
  const std::int64_t base =
      ((static_cast<std::int64_t>(layer) * cache.sequences + cache.sequence) * cache.kv_heads +
       head) *
      cache.capacity * cache.head_dim;
  const int total = count * cache.head_dim;
  for (int i = static_cast<int>(threadIdx.x); i < total; i += static_cast<int>(blockDim.x)) {
    const int entry = i / cache.head_dim, d = i % cache.head_dim;
    held[i] = cache.keys[base + static_cast<std::int64_t>(moves.from[entry]) * cache.head_dim + d];
    held[total + i] =
        cache.values[base + static_cast<std::int64_t>(d) * cache.capacity + moves.from[entry]];
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < total; i += static_cast<int>(blockDim.x)) {
    const int entry = i / cache.head_dim, d = i % cache.head_dim;
    cache.keys[base + static_cast<std::int64_t>(moves.first + entry) * cache.head_dim + d] =
        held[i];
    cache.values[base + static_cast<std::int64_t>(d) * cache.capacity + moves.first + entry] =
        held[total + i];
  }
}

template <typename Moves>
void launch_moves(const CachedSequence& cache, const Moves& moves, int most,
                  const LaunchContext& context) {
  launch(Start::in_turn, move_slots<Moves>,
         dim3(static_cast<unsigned>(cache.layers * cache.kv_heads)), 128, 4 * most * cache.head_dim,
         context, cache, moves);
}

/// A mixer of 64 bits. @source Steele, Lea & Flood 2014, SplitMix64
__device__ std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

__global__ void random_weights(std::uint16_t* weights, std::int64_t count, std::uint64_t seed) {
  wait_for_previous_kernel();
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const std::uint64_t bits = mix(seed ^ mix(static_cast<std::uint64_t>(i)));
    const float first = (static_cast<float>(bits >> 40) + 0.5f) * 0x1p-24f,
                second = static_cast<float>(bits & 0xffffff) * 0x1p-24f;
    weights[i] = to_bfloat16(0.02f * sqrtf(-2.0f * logf(first)) * cospif(2.0f * second));
  }
}

}  // namespace

void launch_embed(const ForwardState* state, const void* table, const ResidualStream& stream,
                  int rows, const LaunchContext& context) {
  launch(Start::in_turn, embed, dim3(static_cast<unsigned>(rows)), 128, 0, context, state,
         static_cast<const std::uint16_t*>(table), stream);
}

void launch_head(const ProductArguments& a, float* logits, BestLogit* best, int vocab, int rows,
                 const LaunchContext& context) {
  launch_product(a, StoreLogits{logits, best, vocab, a.blocks}, rows, context);
}

void launch_spread_logits(const std::int32_t* num_rows, const DraftLogits& draft, float* logits,
                          BestLogit* best, int blocks, int rows, const LaunchContext& context) {
  constexpr unsigned kParts = 16;
  launch(Start::in_turn, spread_logits, dim3(static_cast<unsigned>(rows), kParts), 256, 0, context,
         num_rows, draft, logits, best, blocks);
}

void launch_hidden_states(const ProductArguments& a, const ResidualStream& stream, float* hidden,
                          int rows, const LaunchContext& context) {
  launch(Start::in_turn, hidden_states, dim3(static_cast<unsigned>(rows)), 256, 0, context, a,
         stream, hidden);
}

void launch_move_slots(const CachedSequence& cache, const SlotMoves& moves,
                       const LaunchContext& context) {
  launch_moves(cache, moves, moves.count, context);
}

void launch_move_slots(const CachedSequence& cache, const SlotMoves* moves, int most,
                       const LaunchContext& context) {
  launch_moves(cache, moves, most, context);
}

void launch_random_weights(std::uint16_t* weights, std::int64_t count, std::uint64_t seed,
                           const LaunchContext& context) {
  constexpr int kThreadsEach = 256, kLeastEach = 16;
  const std::int64_t blocks = std::min<std::int64_t>(1024, count / (kThreadsEach * kLeastEach) + 1);
  launch(Start::in_turn, random_weights, dim3(static_cast<unsigned>(blocks)), kThreadsEach, 0,
         context, weights, count, seed);
}

}  // namespace speclab::engines::cuda
