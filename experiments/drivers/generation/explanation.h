#pragma once
#include <string>

#include "experiments/drivers/generation/generation_mode.h"

namespace speclab::experiments {

/// The mode, why, and every value that has an effect or was given, with its origin.
/// {"mode":..., "why":..., "drafted":..., "values":{KEY:{"value":..., "origin":...}},
/// "notes":[...]}
KeyValue explanation_json(const GenerationConfig& config, const GenerationMode& mode);

/// The explanation as text for people.
std::string explanation_text(const GenerationConfig& config, const GenerationMode& mode);

}  // namespace speclab::experiments
