#pragma once
#include <memory>

#include "engines/drafters/next_tokens.h"
#include "engines/interface/language_model.h"
#include "engines/interface/sampling_options.h"

namespace speclab::engines {

/// What a language model expects, a level of the draft at a time.
std::unique_ptr<NextTokens> transformer_next_tokens(std::shared_ptr<LanguageModel> model, const SamplingOptions& sampling);

}  // namespace speclab::engines
