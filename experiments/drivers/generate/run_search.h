#pragma once
#include <nlohmann/json_fwd.hpp>

#include "experiments/drivers/generate/generate_options.h"
#include "experiments/drivers/generate/text_call.h"
#include "experiments/drivers/generate/generation_plan.h"

namespace speclab::experiments {

/// @throws ConfigError if a plan of several drawn texts asks for too many, or for policy `auto`
void check_drawn_texts(const GenerationPlan& plan);

/// Makes the texts of one prompt that rounds alone do not make: a search, or several drawn texts.
/// Prints them, unless --json is given, and a summary on standard error.
/// @param plan  with this prompt's lengths; needs_search() is true
/// @return the object that --json prints
nlohmann::ordered_json run_search(const TextCall& call, const GenerateOptions& options,
                                  const GenerationPlan& plan);

}  // namespace speclab::experiments
