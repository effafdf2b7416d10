#pragma once
// Products without a ring: a warp asks for all its weights, or as many as registers hold, before it
// waits for the kernel in front. Many small thread blocks give the bytes under way. The order of a
// sum is that of product.cuh.

#include "engines/cuda/kernels/product.cuh"

namespace speclab::engines::cuda {

/// The weights of up to `kAhead` of this warp's tiles in registers, of `kBlocks` blocks of 16 rows.
template <int kAhead, int kBlocks>
class WeightsAhead {
 public:
  __device__ WeightsAhead(const ProductArguments& a, int own_tiles)
      : source_(static_cast<const uint4*>(a.weights) +
                (static_cast<std::int64_t>(blockIdx.x) * kBlocks * (a.columns / kTileColumns) +
                 threadIdx.x / 32) *
                    64 +
                threadIdx.x % 32),
        block_stride_(static_cast<std::int64_t>(a.columns / kTileColumns) * 64),
        own_tiles_(own_tiles),
        own_blocks_(min(kBlocks, a.blocks - static_cast<int>(blockIdx.x) * kBlocks)) {
#pragma unroll
    for (int i = 0; i < kAhead; ++i) load(i, i);
  }

  __device__ const uint4& low(int place, int k) const { return low_[place][k]; }
  __device__ const uint4& high(int place, int k) const { return high_[place][k]; }
  /// Tile `i`, if there is one, into place `place`.
  __device__ void load(int i, int place) {
    if (i >= own_tiles_) return;
#pragma unroll
    for (int k = 0; k < kBlocks; ++k) {
      if (k >= own_blocks_) break;
      const uint4* tile = source_ + k * block_stride_ + static_cast<std::int64_t>(i) * kWarps * 64;
      low_[place][k] = __ldcs(tile);
      high_[place][k] = __ldcs(tile + 32);
    }
  }

 private:
  const uint4* source_;
  std::int64_t block_stride_;
  int own_tiles_, own_blocks_;
  uint4 low_[kAhead][kBlocks], high_[kAhead][kBlocks];
};

/// Thread blocks that share a multiprocessor's registers. For architectures before 9.0 the compiler
/// needs more of them, and spills where three share.
constexpr int resident_blocks(int wanted) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  return wanted < 2 ? wanted : 2;
#else
  return wanted;
#endif
}

/// One thread block a group of `kBlocks` blocks of 16 rows.
template <int kColumnTiles, int kAhead, int kResident, int kBlocks, typename Epilogue>
__global__ void __launch_bounds__(kThreads, resident_blocks(kResident))
    product_at_once(const ProductArguments a, const Epilogue epilogue) {
  const int warp = static_cast<int>(threadIdx.x) / 32, tiles = a.columns / kTileColumns,
            own_tiles = tiles > warp ? (tiles - warp + kWarps - 1) / kWarps : 0;
  let_next_kernel_start();
  WeightsAhead<kAhead, kBlocks> weights(a, own_tiles);
  const int num_rows = *a.num_rows;
  const RowPointers<kColumnTiles> rows(a, num_rows);
  auto* partials = dynamic_shared<float>();
  const GroupEnd<kColumnTiles, kBlocks, Epilogue> end(a, epilogue, num_rows,
                                                      partials + kWarps * kEarlyPartials * 32);
  wait_for_previous_kernel();

  copy_early_partials(a, num_rows, partials);
  uint4 b[kAhead][kColumnTiles];
#pragma unroll
  for (int i = 0; i < kAhead; ++i)
    if (i < own_tiles) rows.load(warp + i * kWarps, b[i]);
  typename Epilogue::Early early_of_pairs[GroupEnd<kColumnTiles, kBlocks, Epilogue>::kOwnPairs];
  end.load_early(static_cast<int>(blockIdx.x), early_of_pairs);
  float sum[kBlocks][kColumnTiles][4] = {};
  for (int begin = 0; begin < own_tiles; begin += kAhead) {
#pragma unroll
    for (int place = 0; place < kAhead; ++place) {
      const int next = begin + place + kAhead;
      if (next - kAhead >= own_tiles) break;
#pragma unroll
      for (int k = 0; k < kBlocks; ++k)
#pragma unroll
        for (int t = 0; t < kColumnTiles; ++t)
          multiply_add_32(sum[k][t], weights.low(place, k), weights.high(place, k), b[place][t]);
      weights.load(next, place);
      if (next < own_tiles) rows.load(warp + next * kWarps, b[place]);
    }
  }
  if (a.partials != nullptr) compute_scales<kColumnTiles>(a, num_rows, partials, end.scales);
  end.finish(static_cast<int>(blockIdx.x), sum, early_of_pairs);
}

template <int kColumnTiles, int kAhead, int kResident, int kBlocks, typename Epilogue>
void launch_product_at_once(const ProductArguments& a, const Epilogue& epilogue,
                            const LaunchContext& context) {
  constexpr int kShared =
      kWarps * kEarlyPartials * 32 * 4 + epilogue_bytes<kColumnTiles, kBlocks>();
  const int groups = (a.blocks + kBlocks - 1) / kBlocks;
  launch(Start::overlapping, product_at_once<kColumnTiles, kAhead, kResident, kBlocks, Epilogue>,
         dim3(static_cast<unsigned>(groups)), kThreads, kShared, context, a, epilogue);
}

}  // namespace speclab::engines::cuda
