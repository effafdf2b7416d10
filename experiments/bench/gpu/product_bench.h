#pragma once
// Rows of single products: the engine's at every number of rows, and the ladder's variants beside
// the best of cuBLASLt.

#include "engines/families/catalogue.h"
#include "experiments/bench/gpu/measuring.h"

namespace speclab::engines::cuda {

/// Each product of the shapes alone, its weights rotating through more memory than the cache holds.
void measure_products(Bench& bench, const std::vector<CatalogueEntry>& shapes);
/// Every variant of kernels/ladder.h for the same products at 1, 8 and 16 rows. An exact variant
/// whose tiles lie by block is compared bit by bit with V0 before it is timed; tiles by columns
/// meet other weights here and are checked by the tests alone. V9 is the best of up to 16
/// algorithms of cuBLASLt, where that library is found; its sums are checked for products of up to
/// 2^20 weights. Last come geometric means over products by variant.
/// @throws DeviceError naming the variants whose sums were wrong, when all rows are written
void measure_ladder(Bench& bench, const std::vector<CatalogueEntry>& shapes);

}  // namespace speclab::engines::cuda
