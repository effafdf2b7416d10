#pragma once
// The commands that need no model: predict and reproduce.

#include <CLI/CLI.hpp>

#include "experiments/drivers/commands/predict.h"
#include "experiments/drivers/commands/reproduce.h"

namespace speclab::experiments {

void add_predict_options(CLI::App* command, PredictOptions& options);
void add_reproduce_options(CLI::App* command, ReproduceOptions& options);

}  // namespace speclab::experiments
