#pragma once
#include <string>

#include "analysis/tables/trace.h"
#include "experiments/drivers/predict/acceptance_input.h"

namespace speclab::experiments {

/// α of the chains of a trace, clustered by prompt, and acceptance by position as far as enough
/// rounds tested it. Rounds of trees and rounds without drafts tell nothing about a chain; how many
/// were left out is among the notes, as is what was pooled.
/// @throws DataError if no draft was tested, or what read_trace throws
AcceptanceInput trace_acceptance(const std::string& path, const SettingFilter& filter);

}  // namespace speclab::experiments
