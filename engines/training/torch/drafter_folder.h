#pragma once
#include <functional>
#include <string>

#include "engines/training/torch/torch_layers.h"

namespace speclab::engines {

/// Writes model.safetensors (bfloat16) and training.csv into an existing folder, then config.json by `write_config`, without which nobody
/// loads the folder; the training's checkpoint goes last. @throws WriteError
void write_drafter(const Parameters& parameters, const std::string& curve_csv, const std::string& folder, const std::function<void(const std::string& path)>& write_config);

/// Where a training keeps what it needs to go on.
std::string checkpoint_file(const std::string& folder);

}  // namespace speclab::engines
