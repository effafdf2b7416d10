#pragma once
// The options of each command, as CLI11 reads them. Three files define them: cli_text_options.cpp,
// cli_run_options.cpp and cli_compare_options.cpp.

#include <CLI/CLI.hpp>

#include "experiments/drivers/commands/compare.h"
#include "experiments/drivers/commands/generate.h"
#include "experiments/drivers/commands/report.h"
#include "experiments/drivers/commands/run.h"
#include "experiments/drivers/commands/tokenize.h"
#include "experiments/drivers/commands/verify.h"

namespace speclab::experiments {

void add_score_options(CLI::App* command, ScoreOptions& options);
void add_tokenize_options(CLI::App* command, TokenizeOptions& options);
void add_generate_options(CLI::App* command, GenerateOptions& options);
void add_verify_options(CLI::App* command, VerifyOptions& options);
void add_run_options(CLI::App* command, RunCommandOptions& options);
void add_compare_options(CLI::App* command, CompareOptions& options);
void add_report_options(CLI::App* command, ReportCommandOptions& options);

}  // namespace speclab::experiments
