#pragma once
#include <nlohmann/json_fwd.hpp>

#include "engines/interface/language_model.h"
#include "experiments/drivers/commands/generate.h"

namespace speclab::experiments {

inline double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

/// Key `settings` of what `generate --json` prints: the model, and the options of rounds.
nlohmann::ordered_json settings_json(const GenerateOptions& options,
                                     const engines::ModelInfo& model);

}  // namespace speclab::experiments
