#include "engines/cuda/kernels/cut_trials.h"

#include "engines/cuda/kernels/product.cuh"

namespace speclab::engines::cuda {
namespace {

struct StoreSums {
  static constexpr bool kReducesBlocks = false;
  float* output;
  std::int32_t size;

  __device__ void take_pair(int block, int r, int m, float low, float high, float&, float&) const {
    float* out = output + static_cast<std::int64_t>(m) * size + block * kTileRows + r;
    out[0] = low;
    out[8] = high;
  }
};

template <int kColumnTiles, int kBlocks, int kStages, int kResident, TileOrder kOrder = TileOrder::by_block>
CutTrial trial() {
  return {8 * kColumnTiles, kBlocks, kStages, kResident, kOrder, [](const ProductArguments& a, float* output, const LaunchContext& context) {
            launch_product_cut<kColumnTiles, Cut<kBlocks, kStages, kResident, kOrder>>(a, StoreSums{output, a.blocks * kTileRows}, context);
          }};
}

}  // namespace

const std::vector<CutTrial>& cut_trials() {
  static const std::vector<CutTrial> all{
      trial<1, 1, 8, 3>(), trial<1, 1, 4, 3>(), trial<1, 1, 4, 4>(), trial<1, 1, 6, 2>(), trial<1, 2, 3, 3>(), trial<1, 2, 4, 2>(), trial<1, 2, 4, 3>(),
      trial<1, 4, 3, 2>(), trial<1, 4, 4, 1>(), trial<1, 1, 8, 3, TileOrder::by_columns>(), trial<1, 1, 4, 4, TileOrder::by_columns>(),
      trial<1, 2, 4, 3, TileOrder::by_columns>(), trial<2, 1, 8, 2>(), trial<2, 1, 6, 2>(), trial<2, 2, 3, 2>(), trial<2, 2, 4, 2>(), trial<2, 4, 3, 1>(),
      trial<2, 4, 4, 1>(), trial<2, 2, 4, 2, TileOrder::by_columns>(), trial<4, 1, 8, 2>(), trial<4, 1, 6, 2>(), trial<4, 2, 4, 2>(), trial<4, 4, 3, 1>(), trial<8, 1, 8, 1>(), trial<8, 1, 6, 1>(), trial<8, 2, 4, 1>()};
  return all;
}

}  // namespace speclab::engines::cuda
