#pragma once
// Options that several commands share: the model, the sampling, the drafter and the verifier.

#include <CLI/CLI.hpp>

#include "engines/interface/round_decoder.h"
#include "experiments/drivers/commands/model_options.h"

namespace speclab::experiments {

void add_model_options(CLI::App* command, CommonOptions& common);
void add_sampling_options(CLI::App* command, engines::DecoderOptions& decoder);
void add_drafter_options(CLI::App* command, engines::DecoderOptions& decoder);
void add_verifier_options(CLI::App* command, engines::DecoderOptions& decoder);

}  // namespace speclab::experiments
