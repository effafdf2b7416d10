#pragma once
// The commands that need no model: predict and reproduce.

#include <CLI/CLI.hpp>

#include "experiments/drivers/commands/predict.h"
#include "experiments/drivers/commands/reproduce.h"

namespace speclab::experiments {

inline constexpr const char* kPredictExamples =
    "speclab predict --acceptance-rate 0.8 --cost-ratio 0.05\n"
    "         speclab predict --acceptance-rate 0.75:0.70:0.80 --cost-ratio 0.05:0.04:0.06 --plot "
    "speedup.svg\n"
    "         speclab predict --trace results/runs/quickstart/rounds.csv --costs "
    "results/runs/quickstart/costs.csv --drafter prompt_lookup "
    "--temperature 0\n"
    "         speclab predict --rank-acceptance 0.7,0.11,0.04 --cost-ratio 0.02 --tree-budget 16 "
    "--json\n"
    "         speclab predict --observed results/runs/drafter_acceptance --drafter ngram "
    "--temperature 0 --costs results/runs/quickstart/costs.csv --tree-budget 8";
inline constexpr const char* kReproduceExamples =
    "speclab reproduce leviathan_figure_3\n"
    "         speclab reproduce --all-analytic --output results/runs/reproduce\n"
    "         speclab reproduce metric_crosswalk --metric vllm.mean_acceptance_length=2.25 "
    "--metric speculation_length=3";

void add_predict_options(CLI::App* command, PredictOptions& options);
void add_reproduce_options(CLI::App* command, ReproduceOptions& options);

}  // namespace speclab::experiments
