#pragma once
#include <string>
#include <vector>

#include "engines/models/catalogue.h"
#include "experiments/bench/gpu/measuring.h"

namespace speclab::engines::cuda {

/// Rows of what a pass should take, for devices whose bandwidth is known: each weight and cached key once at that bandwidth, or the arithmetic where
/// it takes longer, and for each of the dependent kernels what a small product took beyond its bytes on the H100.
void predict(const std::string& output, const std::vector<CatalogueEntry>& shapes, const Sizes& sizes);

}  // namespace speclab::engines::cuda
