#pragma once
#include "engines/interface/language_model.h"
#include "experiments/drivers/generate/generate_options.h"
#include "experiments/drivers/generate/generation_plan.h"

namespace speclab::experiments {

/// @throws ConfigError for unknown names, and if --json, --draw-trees or --side-by-side contradicts
/// what --stream or --skip-prompt asks for
void check_stream(const GenerateOptions& options);

/// @throws ConfigError if a stream is asked for in a mode that makes its texts all at once
void check_stream_of_plan(const StreamOptions& stream, const GenerationPlan& plan);

/// @throws ConfigError if text is asked for of a model without a tokenizer
void check_stream_of_model(const StreamOptions& stream, const engines::LoadedModel& loaded);

/// Refuses a call by its options alone, before anything is loaded or measured.
/// @param plan  null: the options say everything @throws ConfigError
void check_call(const GenerateOptions& options, const GenerationPlan* plan);

/// Says on standard error which options about drafts have no effect, because nothing is drafted.
void note_unused_options(const GenerateOptions& options, const GenerationPlan* plan);

}  // namespace speclab::experiments
