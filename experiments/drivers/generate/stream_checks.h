#pragma once
#include "engines/interface/language_model.h"
#include "experiments/drivers/generate/generate_options.h"
#include "experiments/drivers/generation/generation_plan.h"

namespace speclab::experiments {

/// @throws ConfigError for unknown names, and if --json, --draw-trees or --side-by-side contradicts
/// what --stream or --skip-prompt asks for
void check_stream(const GenerateOptions& options);

/// @throws ConfigError if a stream is asked for in a mode that makes its texts all at once
void check_stream_of_plan(const StreamOptions& stream, const GenerationPlan& plan);

/// @throws ConfigError if text is asked for of a model without a tokenizer
void check_stream_of_model(const StreamOptions& stream, const engines::LoadedModel& loaded);

}  // namespace speclab::experiments
