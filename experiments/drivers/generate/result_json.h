#pragma once
#include <nlohmann/json_fwd.hpp>

#include "engines/interface/language_model.h"
#include "experiments/drivers/commands/generate.h"

namespace speclab::experiments {

/// Key `settings` of what `generate --json` prints: the model and every option.
nlohmann::ordered_json settings_json(const GenerateOptions& options,
                                     const engines::ModelInfo& model);

}  // namespace speclab::experiments
