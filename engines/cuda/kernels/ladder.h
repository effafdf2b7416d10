#pragma once
// Variants of the product, whose times on a device tell which step holds a product up. V0 streams
// weights and loads activations one tile ahead. V1 to V4 change one step of it; V5 and V6 keep
// activations in shared memory or registers, V8 takes weights to registers.

#include <vector>

#include "engines/cuda/kernels/product_arguments.h"

namespace speclab::engines::cuda {

/// One rung of the ladder, for products of up to `most_rows` rows.
struct LadderVariant {
  const char* rung;  ///< "V0" to "V8", as the table of results names them
  const char* description;
  int most_rows;
  TileOrder order;                ///< of the weights' tiles
  bool is_exact;                  ///< false: an upper bound, whose sums mean nothing
  bool (*has_room)(int columns);  ///< whether it takes products of so many columns
  /// @param output  [rows, 16 a.blocks] float32
  void (*launch)(const ProductArguments& a, float* output, const LaunchContext& context);
};

const std::vector<LadderVariant>& product_ladder();

}  // namespace speclab::engines::cuda
