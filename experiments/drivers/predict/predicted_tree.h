#pragma once
#include <optional>

#include "experiments/drivers/predict/acceptance_input.h"
#include "experiments/drivers/predict/cost_input.h"
#include "experiments/drivers/predict/prediction.h"

namespace speclab::experiments {

/// The tree of at most --tree-budget nodes (32 where not given) and --tree-levels levels with the
/// largest predicted speed-up; nothing where none was asked for. A level is taken to cost one draft
/// forward, however wide it is.
/// @throws ConfigError about options
std::optional<PredictedTree> predicted_tree(const PredictOptions& options,
                                            const AcceptanceInput& acceptance,
                                            const CostInput& costs);

}  // namespace speclab::experiments
