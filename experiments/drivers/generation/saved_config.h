#pragma once
#include <string>

#include "experiments/drivers/generation/generation_config.h"

namespace speclab::experiments {

/// The values that differ from those of transformers 4.49, and those that a folder would change.
KeyValue saved_values(const GenerationConfig& config);

/// Writes them as --generation-config reads them. A reader sees the old file or the whole new one.
/// @throws ConfigError if the path is a folder, WriteError
void save_generation_config(const GenerationConfig& config, const std::string& path);

}  // namespace speclab::experiments
