#pragma once
// Rows of gpu_bench: what the device can do at best, single products (the engine's at every number
// of rows, the ladder's variants beside the best of cuBLASLt), and whole passes of shape models, by
// the form of their products and kernel by kernel.

#include "engines/families/catalogue.h"
#include "experiments/bench/gpu/measuring.h"

namespace speclab::engines::cuda {

/// Bytes of memory that are read once.
Measured read_bandwidth(Bench& bench);
/// From the host's launch of a small graph until the host sees what its last kernel wrote. A device
/// that answers ends this within a second.
void measure_launch_and_poll(Bench& bench);
void measure_ceilings(Bench& bench);

/// Each product of the shapes alone, its weights rotating through more memory than the cache holds.
void measure_products(Bench& bench, const std::vector<CatalogueEntry>& shapes);
/// Every variant of kernels/ladder.h for the same products at 1, 8 and 16 rows. An exact variant
/// whose tiles lie by block is compared bit by bit with V0 before it is timed; tiles by columns
/// meet other weights here and are checked by the tests alone. V9 is the best of up to 16
/// algorithms of cuBLASLt, where that library is found; its sums are checked for products of up to
/// 2^20 weights. Last come geometric means over products by variant.
/// @throws DeviceError naming the variants whose sums were wrong, when all rows are written
void measure_ladder(Bench& bench, const std::vector<CatalogueEntry>& shapes);

/// The engine's own form at every number of rows and context; the other forms at 1, 8 and 16 rows;
/// the form that was fastest there again at every number of rows and context. @param read  the
/// device's read bandwidth
void measure_passes(Bench& bench, const std::vector<CatalogueEntry>& shapes, const Measured& read);
/// A pass without one of its kernels, and one of its kernels alone, so that differences tell what
/// each takes within the chain.
void measure_kernels(Bench& bench, const std::vector<CatalogueEntry>& shapes);
/// Passes whose layers all come from pinned host memory, with the rate of a copy of one layer
/// beside them. Their ideal is the time of the bytes at that rate. A pass of more than 50 ms is
/// timed once. @throws DeviceError naming the points for which no time was left, when the others
/// are written
void measure_passes_from_host(Bench& bench, const std::vector<CatalogueEntry>& shapes);
/// One layer of each shape in every form, once each, for a profiler.
void launch_profiled_kernels(Bench& bench, const std::vector<CatalogueEntry>& shapes);

}  // namespace speclab::engines::cuda
