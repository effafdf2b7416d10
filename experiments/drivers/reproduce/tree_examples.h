#pragma once
// What the two papers on trees share.

#include <string>
#include <vector>

#include "experiments/drivers/papers/comparison.h"
#include "experiments/drivers/papers/papers.h"

namespace speclab::experiments {

/// Acceptance of the children of a node: differences of SpecInfer's Table 1, success of the top k
/// in percent.
/// @throws DataError if the table lacks a rank
std::vector<double> specinfer_ranks(const Papers& papers, const std::string& decoding,
                                    const std::string& dataset);

/// The worked examples of one source's tree formulas.
void add_tree_examples(const Papers& papers, const std::string& source, Reproduction& result);

}  // namespace speclab::experiments
