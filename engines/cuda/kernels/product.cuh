#pragma once
// Products of a few rows of activations with a packed weight matrix: every weight is read once, through a ring of asynchronous
// copies that starts before the kernel in front has ended. An element's sum runs in the same order whatever rows are beside it.

#include "engines/cuda/kernels/device_functions.cuh"
#include "engines/cuda/kernels/launch.cuh"
#include "engines/cuda/kernels/product_arguments.h"

namespace speclab::engines::cuda {

inline constexpr int kWarps = 8, kThreads = 32 * kWarps;
inline constexpr int kStages = 8;           ///< tiles under way per warp
inline constexpr int kEarlyPartials = 8;    ///< partial sums of squares that a lane loads before the product

/// Thread blocks on a multiprocessor at the same time.
template <int kColumnTiles>
inline constexpr int kResident = kColumnTiles == 1 ? 3 : kColumnTiles <= 4 ? 2 : 1;

template <int kColumnTiles>
constexpr int product_shared_bytes() {
  return kStages * 2 * kThreads * 16 + (kWarps * kTileRows * kColumnTiles * 8 + 8 * kColumnTiles * 8 + kColumnTiles * 8) * 4;
}

/// Streams the tiles of this warp: columns warp, warp + 8, ... of every block of rows that this thread block works on.
class TileStream {
 public:
  __device__ TileStream(const ProductArguments& a, uint4* ring, int own_tiles)
      : weights_(static_cast<const uint4*>(a.weights)), ring_(ring), tiles_(a.columns / kTileColumns), own_tiles_(own_tiles), blocks_(a.blocks),
        block_(static_cast<int>(blockIdx.x)), tile_(static_cast<int>(threadIdx.x) / 32) {}

  /// Starts the copy of the next tile, if there is one.
  __device__ void start_copy() {
    if (block_ < blocks_ && own_tiles_ > 0) {
      const uint4* source = weights_ + (static_cast<std::int64_t>(block_) * tiles_ + tile_) * 64 + threadIdx.x % 32;
      copy_async_16(ring_ + (2 * in_) * kThreads + threadIdx.x, source);
      copy_async_16(ring_ + (2 * in_ + 1) * kThreads + threadIdx.x, source + 32);
      advance();
    }
    commit_copies();
    in_ = in_ + 1 == kStages ? 0 : in_ + 1;
  }

  /// This lane's 8 columns of rows lane / 4 and lane / 4 + 8 of the oldest tile.
  __device__ void take(uint4& low, uint4& high) {
    wait_for_copies<kStages - 2>();
    low = ring_[(2 * out_) * kThreads + threadIdx.x];
    high = ring_[(2 * out_ + 1) * kThreads + threadIdx.x];
    out_ = out_ + 1 == kStages ? 0 : out_ + 1;
  }

 private:
  __device__ void advance() {
    tile_ += kWarps;
    if (tile_ < tiles_) return;
    tile_ = static_cast<int>(threadIdx.x) / 32;
    block_ += static_cast<int>(gridDim.x);
  }

  const uint4* weights_;
  uint4* ring_;
  int tiles_, own_tiles_, blocks_, block_, tile_, in_ = 0, out_ = 0;
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

template <int kColumnTiles, typename Epilogue>
__global__ void __launch_bounds__(kThreads, kResident<kColumnTiles>) product(const ProductArguments a, const Epilogue epilogue) {
  extern __shared__ uint4 shared[];
  constexpr int kColumns = kColumnTiles * 8;
  float* sums = reinterpret_cast<float*>(shared + kStages * 2 * kThreads);   // [kWarps][kTileRows][kColumns]
  float* extra = sums + kWarps * kTileRows * kColumns;                        // [8][kColumns]
  float* scales = extra + 8 * kColumns;                                       // [kColumns]
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int tiles = a.columns / kTileColumns, own_tiles = tiles > warp ? (tiles - warp + kWarps - 1) / kWarps : 0;
  let_next_kernel_start();
  TileStream stream(a, shared, own_tiles);
  for (int i = 0; i < kStages - 1; ++i) stream.start_copy();
  wait_for_previous_kernel();

  const int num_rows = *a.num_rows;
  const uint4* rows[kColumnTiles];
#pragma unroll
  for (int t = 0; t < kColumnTiles; ++t) {
    const int m = t * 8 + lane / 4;
    const int row = m < num_rows && a.gather ? a.gather[m] : m;
    rows[t] = m < num_rows ? reinterpret_cast<const uint4*>(static_cast<const std::uint16_t*>(a.input) + static_cast<std::int64_t>(row) * a.columns) + lane % 4 : nullptr;
  }
  float early[kEarlyPartials];
  const bool has_scales = a.partials != nullptr;
  if (has_scales && warp < num_rows) {
    const float* partials = a.partials + static_cast<std::int64_t>(a.gather ? a.gather[warp] : warp) * a.num_partials;
#pragma unroll
    for (int i = 0; i < kEarlyPartials; ++i) early[i] = i * 32 + lane < a.num_partials ? partials[i * 32 + lane] : 0.0f;
  }
  bool first = true;
  for (int block = static_cast<int>(blockIdx.x); block < a.blocks; block += static_cast<int>(gridDim.x)) {
    float sum[kColumnTiles][4] = {};
    uint4 next[kColumnTiles];
    if (own_tiles > 0) load_activations<kColumnTiles>(rows, warp, next);
    for (int i = 0; i < own_tiles; ++i) {
      uint4 b[kColumnTiles], low, high;
#pragma unroll
      for (int t = 0; t < kColumnTiles; ++t) b[t] = next[t];
      if (i + 1 < own_tiles) load_activations<kColumnTiles>(rows, warp + (i + 1) * kWarps, next);
      stream.take(low, high);
      stream.start_copy();
#pragma unroll
      for (int t = 0; t < kColumnTiles; ++t) multiply_add_32(sum[t], low, high, b[t]);
    }
    if (first && has_scales) compute_scales<kColumnTiles>(a, num_rows, early, scales);
    first = false;
#pragma unroll
    for (int t = 0; t < kColumnTiles; ++t) {
      float* out = sums + (warp * kTileRows + lane / 4) * kColumns + t * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(out) = make_float2(sum[t][0], sum[t][1]);
      *reinterpret_cast<float2*>(out + 8 * kColumns) = make_float2(sum[t][2], sum[t][3]);
    }
    __syncthreads();
    for (int pair = thread; pair < 8 * kColumns; pair += kThreads) {
      const int r = pair / kColumns, m = pair % kColumns;
      if (m >= num_rows) continue;
      float low = 0.0f, high = 0.0f;
#pragma unroll
      for (int w = 0; w < kWarps; ++w) {
        low += sums[(w * kTileRows + r) * kColumns + m];
        high += sums[(w * kTileRows + r + 8) * kColumns + m];
      }
      const float scale = has_scales ? scales[m] : 1.0f;
      epilogue.take_pair(block, r, m, low * scale, high * scale, extra[pair], sums[pair]);
    }
    __syncthreads();
    if (Epilogue::kReducesBlocks && thread < num_rows) epilogue.reduce_block(block, thread, kColumns, extra, sums);
    __syncthreads();
  }
}

/// As many thread blocks as run at the same time, so that each streams through its share without a gap.
template <int kColumnTiles, typename Epilogue>
void launch_product_of(const ProductArguments& a, const Epilogue& epilogue, const LaunchContext& context) {
  constexpr int kShared = product_shared_bytes<kColumnTiles>();
  static const bool allowed = (allow_shared_bytes(product<kColumnTiles, Epilogue>, kShared), true);
  (void)allowed;
  const int resident = context.num_multiprocessors * kResident<kColumnTiles>;
  launch(Start::overlapping, product<kColumnTiles, Epilogue>, dim3(static_cast<unsigned>(a.blocks < resident ? a.blocks : resident)), kThreads, kShared, context.stream, a, epilogue);
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
