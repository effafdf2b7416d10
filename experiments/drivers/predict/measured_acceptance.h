#pragma once
// Acceptance as it was measured: by the rounds of a trace, or by a run that looked at every
// draft.

#include <string>

#include "analysis/tables/trace.h"
#include "experiments/drivers/predict/acceptance_input.h"

namespace speclab::experiments {

/// α of the chains of a trace, clustered by prompt, and acceptance by position as far as enough
/// rounds tested it. Rounds of trees and rounds without drafts tell nothing about a chain; how many
/// were left out is among the notes, as is what was pooled.
/// @throws DataError if no draft was tested, or what read_trace throws
AcceptanceInput trace_acceptance(const std::string& path, const SettingFilter& filter);

/// What a run of the kind `drafter_acceptance` says of one drafter at one temperature: accepted
/// over tested as the rate, and from the first place of its drafts the acceptance by rank, pooled
/// over categories.
/// @param filter  by which one cell must be left; its regime counts where it names no temperature
/// @throws ConfigError if not one is left, or it drafted nothing; DataError about files
AcceptanceInput observed_acceptance(const std::string& folder, const SettingFilter& filter);

}  // namespace speclab::experiments
