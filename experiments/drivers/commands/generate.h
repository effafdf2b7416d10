#pragma once
#include "experiments/drivers/generate/generate_options.h"

namespace speclab::experiments {

/// @return exit code @throws ConfigError and what the engines throw
int run_generate(const GenerateOptions& options);

}  // namespace speclab::experiments
