#pragma once
// The options of each command, as CLI11 reads them.

#include <CLI/CLI.hpp>

#include "engines/interface/round_decoder.h"
#include "experiments/drivers/commands/commands.h"
#include "experiments/drivers/commands/predict.h"
#include "experiments/drivers/commands/run.h"
#include "experiments/drivers/generate/constraint.h"
#include "experiments/drivers/generate/text_stream.h"
#include "experiments/drivers/program/engines_loader.h"

namespace speclab::experiments {

void add_compare_options(CLI::App* command, CompareOptions& options);
void add_config_options(CLI::App* command, ConfigCommandOptions& options);
void add_generate_options(CLI::App* command, GenerateOptions& options);
void add_law_options(CLI::App* command, LawOptions& options);
void add_models_options(CLI::App* command, ModelsOptions& options);
void add_predict_options(CLI::App* command, PredictOptions& options);
void add_report_options(CLI::App* command, ReportCommandOptions& options);
void add_reproduce_options(CLI::App* command, ReproduceOptions& options);
void add_run_options(CLI::App* command, RunCommandOptions& options);
void add_score_options(CLI::App* command, ScoreOptions& options);
void add_summary_options(CLI::App* command, SummaryOptions& options);
void add_tokenize_options(CLI::App* command, TokenizeOptions& options);
void add_train_options(CLI::App* command, TrainCommandOptions& options);
void add_verify_options(CLI::App* command, VerifyOptions& options);

// Options in groups: the model, the sampling, the drafter, the verifier, and how a text comes.

void add_model_options(CLI::App* command, CommonOptions& common);
void add_sampling_options(CLI::App* command, engines::DecoderOptions& decoder);
void add_drafter_options(CLI::App* command, engines::DecoderOptions& decoder);
void add_verifier_options(CLI::App* command, engines::DecoderOptions& decoder);
/// Options of `generate` on the form in which a text comes.
void add_stream_options(CLI::App* command, StreamOptions& stream);
/// Options of `generate` on texts that have to match something.
void add_constraint_options(CLI::App* command, ConstraintOptions& constraint);

/// Lets "~" and "~USER" begin every option that names a file or folder: a shell leaves them as they
/// are in --option=~/file and inside quotes.
/// @param app  with all its commands and their options
void expand_homes(CLI::App& app);

}  // namespace speclab::experiments
