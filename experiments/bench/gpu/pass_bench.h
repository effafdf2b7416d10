#pragma once
// Rows of whole passes of shape models: by the form of their products, and kernel by kernel.

#include "engines/families/catalogue.h"
#include "experiments/bench/gpu/measuring.h"

namespace speclab::engines::cuda {

/// The engine's own form at every number of rows and context; the other forms at 1, 8 and 16 rows;
/// the form that was fastest there again at every number of rows and context. @param read  the
/// device's read bandwidth
void measure_passes(Bench& bench, const std::vector<CatalogueEntry>& shapes, const Measured& read);
/// A pass without one of its kernels, and one of its kernels alone, so that differences tell what
/// each takes within the chain.
void measure_kernels(Bench& bench, const std::vector<CatalogueEntry>& shapes);
/// Passes whose layers all come from pinned host memory, with the rate of a copy of one layer
/// beside them. Their ideal is the time of the bytes at that rate.
void measure_passes_from_host(Bench& bench, const std::vector<CatalogueEntry>& shapes);
/// One layer of each shape in every form, once each, for a profiler.
void launch_profiled_kernels(Bench& bench, const std::vector<CatalogueEntry>& shapes);

}  // namespace speclab::engines::cuda
