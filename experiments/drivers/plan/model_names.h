#pragma once
#include <span>

#include "engines/interface/engines.h"
#include "experiments/drivers/plan/plan.h"

namespace speclab::experiments {

/// @throws ConfigError naming every target and drafter of the plan that is neither a known name nor
/// a file or folder
void check_model_names(const Plan& plan, std::span<const engines::KnownModel> known);

}  // namespace speclab::experiments
