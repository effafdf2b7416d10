#pragma once
#include "experiments/drivers/predict/acceptance_input.h"

namespace speclab::experiments {

/// What a run of the kind `drafter_acceptance` says of one drafter at one temperature: accepted
/// over tested as the rate, and from the first place of its drafts the acceptance by rank, pooled
/// over categories.
/// @param filter  by which one cell must be left; its regime counts where it names no temperature
/// @throws ConfigError if not one is left, or it drafted nothing; DataError about files
AcceptanceInput observed_acceptance(const std::string& folder, const SettingFilter& filter);

}  // namespace speclab::experiments
