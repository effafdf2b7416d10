#pragma once
// Products that differ from the engine's in one step each. Their times on a device tell which step holds the engine's product up.

#include <vector>

#include "engines/cuda/kernels/product_arguments.h"

namespace speclab::engines::cuda {

/// One rung of the ladder, for products of up to `most_rows` rows.
struct LadderVariant {
  const char* rung;         ///< "V0" to "V8", as the table of results names them
  const char* description;
  int most_rows;
  TileOrder order;          ///< of the weights' tiles
  bool is_exact;            ///< false: an upper bound, whose sums mean nothing
  bool (*has_room)(int columns);
  /// @param output  [rows, 16 a.blocks] float32
  void (*launch)(const ProductArguments& a, float* output, const LaunchContext& context);
};

const std::vector<LadderVariant>& product_ladder();

}  // namespace speclab::engines::cuda
