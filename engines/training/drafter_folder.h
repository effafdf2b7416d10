#pragma once
#include <string>

#include "engines/training/small_transformer_model.h"

namespace speclab::engines {

/// Writes config.json, model.safetensors (bfloat16) and training.csv. @throws WriteError
void write_drafter_folder(const SmallTransformerModel& model, const std::string& curve_csv, const std::string& folder);

}  // namespace speclab::engines
