#pragma once
// Options in groups: the model, the sampling, the drafter, the verifier, and how a text comes.

#include <CLI/CLI.hpp>

#include "engines/interface/round_decoder.h"
#include "experiments/drivers/generate/constraint.h"
#include "experiments/drivers/generate/text_stream.h"
#include "experiments/drivers/program/model_options.h"

namespace speclab::experiments {

void add_model_options(CLI::App* command, CommonOptions& common);
void add_sampling_options(CLI::App* command, engines::DecoderOptions& decoder);
void add_drafter_options(CLI::App* command, engines::DecoderOptions& decoder);
void add_verifier_options(CLI::App* command, engines::DecoderOptions& decoder);
/// Options of `generate` on the form in which a text comes.
void add_stream_options(CLI::App* command, StreamOptions& stream);
/// Options of `generate` on texts that have to match something.
void add_constraint_options(CLI::App* command, ConstraintOptions& constraint);

}  // namespace speclab::experiments
