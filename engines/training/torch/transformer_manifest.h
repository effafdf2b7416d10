#pragma once
#include <nlohmann/json_fwd.hpp>

#include "engines/training/torch/training_loop.h"

namespace speclab::engines {

/// How a transformer was trained and how it does on the held-out texts of each temperature: kind, target, own text, schedule, tokens, held_out.
/// @param target_name  catalogue name or file
nlohmann::ordered_json transformer_manifest(const TrainingTask& task, const TextSplit& texts, const TrainOptions& options, const std::string& target_name, const std::string& target_sha256);

}  // namespace speclab::engines
