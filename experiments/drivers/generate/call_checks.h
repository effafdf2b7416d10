#pragma once
#include "experiments/drivers/generate/generate_options.h"
#include "experiments/drivers/generation/generation_plan.h"

namespace speclab::experiments {

/// Refuses a call by its options alone, before anything is loaded or measured.
/// @param plan  null: the options say everything @throws ConfigError
void check_call(const GenerateOptions& options, const GenerationPlan* plan);

/// Says on standard error which options about drafts have no effect, because nothing is drafted.
void note_unused_options(const GenerateOptions& options, const GenerationPlan* plan);

}  // namespace speclab::experiments
