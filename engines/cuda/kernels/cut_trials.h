#pragma once
// Products cut in other ways than the engine's, to find out which is fastest on a device.

#include <string>
#include <vector>

#include "engines/cuda/kernels/product_arguments.h"

namespace speclab::engines::cuda {

/// One way for passes of up to `most_rows` rows.
struct CutTrial {
  int most_rows, blocks, stages, resident;  ///< as in Cut of product.cuh
  TileOrder order;
  /// @param output  [rows, 16 a.blocks]
  void (*launch)(const ProductArguments& a, float* output, const LaunchContext& context);
};

const std::vector<CutTrial>& cut_trials();

}  // namespace speclab::engines::cuda
