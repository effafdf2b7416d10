#pragma once
// Options of `speclab generate` that GenerationConfig has.

#include <CLI/CLI.hpp>

#include "experiments/drivers/generation/generation_options.h"

namespace speclab::experiments {

/// Adds an option for each key that has none yet, and notes the values of those that are there.
/// @param command  has all its other options
void add_generation_options(CLI::App* command, GenerationOptions& options);

}  // namespace speclab::experiments
