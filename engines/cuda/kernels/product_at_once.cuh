#pragma once
// Products without a ring: a warp asks for all its weights, or as many as registers hold, before it waits for the kernel in front.
// Many small thread blocks give the bytes under way. The order of a sum is that of product.cuh.

#include "engines/cuda/kernels/product.cuh"

namespace speclab::engines::cuda {

/// The weights of up to `kAhead` of this warp's tiles in registers.
template <int kAhead>
class WeightsAhead {
 public:
  __device__ WeightsAhead(const ProductArguments& a, int own_tiles)
      : source_(static_cast<const uint4*>(a.weights) + (static_cast<std::int64_t>(blockIdx.x) * (a.columns / kTileColumns) + threadIdx.x / 32) * 64 + threadIdx.x % 32),
        own_tiles_(own_tiles) {
#pragma unroll
    for (int i = 0; i < kAhead; ++i) load(i, i);
  }

  __device__ const uint4& low(int place) const { return low_[place]; }
  __device__ const uint4& high(int place) const { return high_[place]; }
  /// Tile `i`, if there is one, into place `place`.
  __device__ void load(int i, int place) {
    if (i >= own_tiles_) return;
    low_[place] = __ldcs(source_ + static_cast<std::int64_t>(i) * kWarps * 64);
    high_[place] = __ldcs(source_ + static_cast<std::int64_t>(i) * kWarps * 64 + 32);
  }

 private:
  const uint4* source_;
  int own_tiles_;
  uint4 low_[kAhead], high_[kAhead];
};

/// One thread block a block of 16 rows.
template <int kColumnTiles, int kAhead, int kResident, typename Epilogue>
__global__ void __launch_bounds__(kThreads, kResident) product_at_once(const ProductArguments a, const Epilogue epilogue) {
  const int warp = static_cast<int>(threadIdx.x) / 32, tiles = a.columns / kTileColumns, own_tiles = tiles > warp ? (tiles - warp + kWarps - 1) / kWarps : 0;
  let_next_kernel_start();
  WeightsAhead<kAhead> weights(a, own_tiles);
  const int num_rows = *a.num_rows;
  const RowPointers<kColumnTiles> rows(a, num_rows);
  const GroupEnd<kColumnTiles, 1, Epilogue> end(a, epilogue, num_rows, dynamic_shared<uint4>());
  wait_for_previous_kernel();

  uint4 b[kAhead][kColumnTiles];
#pragma unroll
  for (int i = 0; i < kAhead; ++i)
    if (i < own_tiles) rows.load(warp + i * kWarps, b[i]);
  float sum[1][kColumnTiles][4] = {};
  for (int begin = 0; begin < own_tiles; begin += kAhead) {
#pragma unroll
    for (int place = 0; place < kAhead; ++place) {
      const int next = begin + place + kAhead;
      if (next - kAhead >= own_tiles) break;
#pragma unroll
      for (int t = 0; t < kColumnTiles; ++t) multiply_add_32(sum[0][t], weights.low(place), weights.high(place), b[place][t]);
      weights.load(next, place);
      if (next < own_tiles) rows.load(warp + next * kWarps, b[place]);
    }
  }
  float early[kEarlyPartials];
  load_early_partials(a, num_rows, early);
  if (a.partials != nullptr) compute_scales<kColumnTiles>(a, num_rows, early, end.scales);
  end.finish(static_cast<int>(blockIdx.x), sum);
}

template <int kColumnTiles, int kAhead, int kResident, typename Epilogue>
void launch_product_at_once(const ProductArguments& a, const Epilogue& epilogue, const LaunchContext& context) {
  constexpr int kShared = epilogue_bytes<kColumnTiles, 1>();
  launch(Start::overlapping, product_at_once<kColumnTiles, kAhead, kResident, Epilogue>, dim3(static_cast<unsigned>(a.blocks)), kThreads, kShared, context, a, epilogue);
}

}  // namespace speclab::engines::cuda
