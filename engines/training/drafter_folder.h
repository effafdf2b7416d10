#pragma once
#include <string>

#include "engines/training/torch_layers.h"

namespace speclab::engines {

/// Writes model.safetensors (bfloat16) and training.csv into an existing folder. @throws WriteError
void write_drafter_weights(const Parameters& parameters, const std::string& curve_csv, const std::string& folder);

}  // namespace speclab::engines
