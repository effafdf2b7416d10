#pragma once
#include <CLI/CLI.hpp>

#include "experiments/drivers/commands/train.h"

namespace speclab::experiments {

void add_train_options(CLI::App* command, TrainCommandOptions& options);

}  // namespace speclab::experiments
