#pragma once
#include <memory>

#include "engines/drafters/draft_model.h"
#include "engines/drafters/next_tokens.h"
#include "engines/interface/sampling_options.h"

namespace speclab::engines {

/// What a model expects, a level of the draft at a time.
std::unique_ptr<NextTokens> model_next_tokens(std::unique_ptr<DraftModel> model, const SamplingOptions& sampling);

}  // namespace speclab::engines
