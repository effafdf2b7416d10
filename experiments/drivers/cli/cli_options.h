#pragma once
// The options of each command, as CLI11 reads them.

#include <CLI/CLI.hpp>

#include "experiments/drivers/commands/compare.h"
#include "experiments/drivers/commands/config.h"
#include "experiments/drivers/commands/generate.h"
#include "experiments/drivers/commands/law.h"
#include "experiments/drivers/commands/predict.h"
#include "experiments/drivers/commands/report.h"
#include "experiments/drivers/commands/reproduce.h"
#include "experiments/drivers/commands/run.h"
#include "experiments/drivers/commands/summary.h"
#include "experiments/drivers/commands/tokenize.h"
#include "experiments/drivers/commands/train.h"
#include "experiments/drivers/commands/verify.h"

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

}  // namespace speclab::experiments
