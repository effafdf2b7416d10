#pragma once
// Products of a few rows of activations with a packed weight matrix: every weight is read once, through a ring of asynchronous
// copies that starts before the kernel in front has ended. An element's sum runs in the same order whatever rows are beside it.

#include "engines/cuda/kernels/device_functions.cuh"
#include "engines/cuda/kernels/launch.cuh"
#include "engines/cuda/kernels/product_arguments.h"

namespace speclab::engines::cuda {

inline constexpr int kWarps = 8, kThreads = 32 * kWarps;
inline constexpr int kEarlyPartials = 8;    ///< partial sums of squares that a lane loads before the product

/// How a product is cut: `kBlocks` blocks of 16 weight rows at a time, so that activations are read once for all of them, `kStages`
/// steps of copies under way per warp, `kResident` thread blocks on a multiprocessor; in which order the tiles stand.
template <int kBlocksValue, int kStagesValue, int kResidentValue, TileOrder kOrderValue = TileOrder::by_block>
struct Cut {
  static constexpr int kBlocks = kBlocksValue, kStages = kStagesValue, kResident = kResidentValue;
  static constexpr TileOrder kOrder = kOrderValue;
};

template <int kColumnTiles, typename C>
constexpr int product_shared_bytes() {
  constexpr int kColumns = kColumnTiles * 8;
  return C::kStages * C::kBlocks * 2 * kThreads * 16 + (kWarps * C::kBlocks * kTileRows * kColumns + C::kBlocks * 8 * kColumns + kColumns) * 4;
}

/// Streams the tiles of this warp: columns warp, warp + 8, ... of every group of blocks that this thread block works on.
template <typename C>
class TileStream {
 public:
  __device__ TileStream(const ProductArguments& a, uint4* ring, int own_tiles)
      : weights_(static_cast<const uint4*>(a.weights) + threadIdx.x % 32), ring_(ring + threadIdx.x), tiles_(a.columns / kTileColumns), own_tiles_(own_tiles),
        blocks_(a.blocks), group_(static_cast<int>(blockIdx.x)), tile_(static_cast<int>(threadIdx.x) / 32) {}

  /// Starts the copy of the next tiles, if there are any.
  __device__ void start_copy() {
    if (group_ * C::kBlocks < blocks_ && own_tiles_ > 0) {
#pragma unroll
      for (int i = 0; i < C::kBlocks; ++i) {
        const int block = group_ * C::kBlocks + i;
        if (block < blocks_) {
          const uint4* source = weights_ + tile_at(C::kOrder, block, tile_, blocks_, tiles_) * 64;
          copy_async_16(ring_ + (2 * (in_ * C::kBlocks + i)) * kThreads, source);
          copy_async_16(ring_ + (2 * (in_ * C::kBlocks + i) + 1) * kThreads, source + 32);
        }
      }
      advance();
    }
    commit_copies();
    in_ = in_ + 1 == C::kStages ? 0 : in_ + 1;
  }

  __device__ void wait() const { wait_for_copies<C::kStages - 2>(); }
  /// This lane's 8 columns of rows lane / 4 and lane / 4 + 8 of block `i` of the oldest tiles.
  __device__ uint4 low(int i) const { return ring_[(2 * (out_ * C::kBlocks + i)) * kThreads]; }
  __device__ uint4 high(int i) const { return ring_[(2 * (out_ * C::kBlocks + i) + 1) * kThreads]; }
  __device__ void drop() { out_ = out_ + 1 == C::kStages ? 0 : out_ + 1; }

 private:
  __device__ void advance() {
    tile_ += kWarps;
    if (tile_ < tiles_) return;
    tile_ = static_cast<int>(threadIdx.x) / 32;
    group_ += static_cast<int>(gridDim.x);
  }

  const uint4* weights_;
  uint4* ring_;
  int tiles_, own_tiles_, blocks_, group_, tile_, in_ = 0, out_ = 0;
};

/// This lane's 8 columns of tile `tile` for its rows of activations; zeros where there is no row.
template <int kColumnTiles>
__device__ void load_activations(const uint4* const (&rows)[kColumnTiles], int tile, uint4 (&b)[kColumnTiles]) {
#pragma unroll
  for (int t = 0; t < kColumnTiles; ++t) b[t] = rows[t] != nullptr ? rows[t][tile * 4] : make_uint4(0, 0, 0, 0);
}

/// The sum of squares of the rows, from the partial sums that the kernel before left, as the scale of an RMS norm.
template <int kColumnTiles>
__device__ void compute_scales(const ProductArguments& a, int num_rows, const float (&early)[kEarlyPartials], float* scales) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  for (int m = warp; m < num_rows; m += kWarps) {
    const float* partials = a.partials + static_cast<std::int64_t>(a.gather ? a.gather[m] : m) * a.num_partials;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < kEarlyPartials; ++i)
      sum += m == warp ? early[i] : i * 32 + lane < a.num_partials ? partials[i * 32 + lane] : 0.0f;
    for (int i = kEarlyPartials * 32 + lane; i < a.num_partials; i += 32) sum += partials[i];
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (lane == 0) scales[m] = rsqrtf(sum * a.inverse_size + a.epsilon);
  }
}

/// One thread block's share of the rows' activations: where each of this lane's rows begins, null where there is none.
template <int kColumnTiles>
__device__ void find_rows(const ProductArguments& a, int num_rows, const uint4* (&rows)[kColumnTiles]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int t = 0; t < kColumnTiles; ++t) {
    const int m = t * 8 + lane / 4;
    const int row = m < num_rows && a.gather ? a.gather[m] : m;
    rows[t] = m < num_rows ? reinterpret_cast<const uint4*>(static_cast<const std::uint16_t*>(a.input) + static_cast<std::int64_t>(row) * a.columns) + lane % 4 : nullptr;
  }
}

/// What waits in registers while the product runs.
__device__ inline void load_early_partials(const ProductArguments& a, int num_rows, float (&early)[kEarlyPartials]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  if (a.partials == nullptr || warp >= num_rows) return;
  const float* partials = a.partials + static_cast<std::int64_t>(a.gather ? a.gather[warp] : warp) * a.num_partials;
#pragma unroll
  for (int i = 0; i < kEarlyPartials; ++i) early[i] = i * 32 + lane < a.num_partials ? partials[i * 32 + lane] : 0.0f;
}

template <int kColumnTiles, typename C>
__device__ void multiply_group(const uint4* const (&rows)[kColumnTiles], int own_tiles, TileStream<C>& stream, float (&sum)[C::kBlocks][kColumnTiles][4]) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  uint4 next[kColumnTiles];
  if (own_tiles > 0) load_activations<kColumnTiles>(rows, warp, next);
  for (int i = 0; i < own_tiles; ++i) {
    uint4 b[kColumnTiles];
#pragma unroll
    for (int t = 0; t < kColumnTiles; ++t) b[t] = next[t];
    if (i + 1 < own_tiles) load_activations<kColumnTiles>(rows, warp + (i + 1) * kWarps, next);
    stream.wait();
#pragma unroll
    for (int k = 0; k < C::kBlocks; ++k) {
      const uint4 low = stream.low(k), high = stream.high(k);
#pragma unroll
      for (int t = 0; t < kColumnTiles; ++t) multiply_add_32(sum[k][t], low, high, b[t]);
    }
    stream.drop();
    stream.start_copy();
  }
}

/// The warp's sums, to shared memory: [kWarps][kBlocks * 16][columns].
template <int kColumnTiles, typename C>
__device__ void leave_sums(const float (&sum)[C::kBlocks][kColumnTiles][4], float* sums) {
  constexpr int kColumns = kColumnTiles * 8;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int k = 0; k < C::kBlocks; ++k)
#pragma unroll
    for (int t = 0; t < kColumnTiles; ++t) {
      float* out = sums + ((warp * C::kBlocks + k) * kTileRows + lane / 4) * kColumns + t * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(out) = make_float2(sum[k][t][0], sum[k][t][1]);
      *reinterpret_cast<float2*>(out + 8 * kColumns) = make_float2(sum[k][t][2], sum[k][t][3]);
    }
}

template <int kColumnTiles, typename C, typename Epilogue>
__global__ void __launch_bounds__(kThreads, C::kResident) product(const ProductArguments a, const Epilogue epilogue) {
  uint4* shared = dynamic_shared<uint4>();
  constexpr int kColumns = kColumnTiles * 8, kRows = C::kBlocks * kTileRows;
  float* sums = reinterpret_cast<float*>(shared + C::kStages * C::kBlocks * 2 * kThreads);  // [kWarps][kRows][kColumns]
  float* extra = sums + kWarps * kRows * kColumns;                                          // [kBlocks * 8][kColumns]
  float* scales = extra + C::kBlocks * 8 * kColumns;                                        // [kColumns]
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  const int tiles = a.columns / kTileColumns, own_tiles = tiles > warp ? (tiles - warp + kWarps - 1) / kWarps : 0;
  let_next_kernel_start();
  TileStream<C> stream(a, shared, own_tiles);
  for (int i = 0; i < C::kStages - 1; ++i) stream.start_copy();
  const int num_rows = *a.num_rows;
  const uint4* rows[kColumnTiles];
  find_rows<kColumnTiles>(a, num_rows, rows);
  wait_for_previous_kernel();

  float early[kEarlyPartials];
  load_early_partials(a, num_rows, early);
  const bool has_scales = a.partials != nullptr;
  for (int group = static_cast<int>(blockIdx.x); group * C::kBlocks < a.blocks; group += static_cast<int>(gridDim.x)) {
    float sum[C::kBlocks][kColumnTiles][4] = {};
    multiply_group<kColumnTiles, C>(rows, own_tiles, stream, sum);
    if (has_scales && group == static_cast<int>(blockIdx.x)) compute_scales<kColumnTiles>(a, num_rows, early, scales);
    leave_sums<kColumnTiles, C>(sum, sums);
    __syncthreads();
    for (int pair = thread; pair < C::kBlocks * 8 * kColumns; pair += kThreads) {
      const int m = pair % kColumns, r = pair / kColumns % 8, k = pair / kColumns / 8, block = group * C::kBlocks + k;
      if (m >= num_rows || block >= a.blocks) continue;
      float* at = sums + (k * kTileRows + r) * kColumns + m;
      float low = 0.0f, high = 0.0f;
#pragma unroll
      for (int w = 0; w < kWarps; ++w) {
        low += at[w * kRows * kColumns];
        high += at[(w * kRows + 8) * kColumns];
      }
      const float scale = has_scales ? scales[m] : 1.0f;
      epilogue.take_pair(block, r, m, low * scale, high * scale, extra[pair], *at);
    }
    __syncthreads();
    if constexpr (Epilogue::kReducesBlocks) {
      for (int i = thread; i < C::kBlocks * kColumns; i += kThreads) {
        const int m = i % kColumns, k = i / kColumns, block = group * C::kBlocks + k;
        if (m < num_rows && block < a.blocks) epilogue.reduce_block(block, m, kColumns, extra + k * 8 * kColumns + m, sums + k * kTileRows * kColumns + m);
      }
      __syncthreads();
    }
  }
}

/// As many thread blocks as run at the same time, so that each streams through its share without a gap.
template <int kColumnTiles, typename C, typename Epilogue>
void launch_product_cut(const ProductArguments& a, const Epilogue& epilogue, const LaunchContext& context) {
  constexpr int kShared = product_shared_bytes<kColumnTiles, C>();
  static_assert(kShared * C::kResident <= 227 * 1024);
  static const bool allowed = (allow_shared_bytes(product<kColumnTiles, C, Epilogue>, kShared), true);
  (void)allowed;
  const int groups = (a.blocks + C::kBlocks - 1) / C::kBlocks, resident = context.num_multiprocessors * C::kResident;
  launch(Start::overlapping, product<kColumnTiles, C, Epilogue>, dim3(static_cast<unsigned>(groups < resident ? groups : resident)), kThreads, kShared, context, a, epilogue);
}

template <int kColumnTiles, typename Epilogue>
void launch_product_of(const ProductArguments& a, const Epilogue& epilogue, const LaunchContext& context) {
  launch_product_cut<kColumnTiles, Cut<1, 8, (kColumnTiles == 1 ? 3 : kColumnTiles <= 4 ? 2 : 1)>>(a, epilogue, context);
}

/// @param rows  upper bound of *a.num_rows, at most 64
template <typename Epilogue>
void launch_product(const ProductArguments& a, const Epilogue& epilogue, int rows, const LaunchContext& context) {
  if (rows <= 8) return launch_product_of<1>(a, epilogue, context);
  if (rows <= 16) return launch_product_of<2>(a, epilogue, context);
  if (rows <= 32) return launch_product_of<4>(a, epilogue, context);
  launch_product_of<8>(a, epilogue, context);
}

}  // namespace speclab::engines::cuda
