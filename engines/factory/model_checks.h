#pragma once
// The options of a model: what they ask for, and which go together.

#include "engines/interface/model_options.h"

namespace speclab::engines {

/// Whether products round activations.
bool is_inexact(const ModelOptions& options);

/// Whether layers are read from the file at every forward.
bool is_streamed(const ModelOptions& options);

/// Whether only a CPU, with its own kernels, has these numbers.
bool needs_cpu_kernels(const ModelOptions& options);

/// @throws ConfigError naming an option that is unknown, out of range, or contradicts another one
void check_model_options(const ModelOptions& options);

}  // namespace speclab::engines
