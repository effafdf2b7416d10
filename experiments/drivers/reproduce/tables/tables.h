#pragma once
// Every table and figure that is rebuilt from formulas, and the parts that they share.

#include <span>
#include <string>
#include <vector>

#include "analysis/plots/figure.h"
#include "experiments/drivers/papers/comparison.h"
#include "experiments/drivers/papers/papers.h"

namespace speclab::experiments {

/// Rebuilds from the papers' numbers. @throws DataError if their files lack what is needed
using RebuildFromPapers = Reproduction(const Papers& papers);

/// A table or figure of a paper that `speclab reproduce` rebuilds from closed forms.
struct PaperExperiment {
  const char* id;
  const char* title;
  RebuildFromPapers* run;
};

std::span<const PaperExperiment> paper_experiments();

/// @throws ConfigError listing the names that are allowed, those of measured tables among them
const PaperExperiment& paper_experiment(const std::string& id);

RebuildFromPapers leviathan_table_1, leviathan_table_4, leviathan_table_5, leviathan_figure_2,
    leviathan_figure_3, leviathan_figure_4, leviathan_figure_5, chen_figure_1, specinfer, sequoia,
    hf_schedule, ntt_metrics, batch_crossover, metric_crosswalk;

/// Rows of the table in its order: "value" beside ours.
void add_values(const analysis::Table& table,
                std::string (*setting_of)(const analysis::Table&, std::size_t),
                double (*ours_of)(const analysis::Table&, std::size_t), Reproduction& result);
/// "batch=8;rows=2" of the columns that are not empty.
std::string setting_in(const analysis::Table& table, std::size_t row,
                       std::span<const char* const> columns);

// Parts of the figures that rebuild those of the papers.

/// A vertex of a line, without a mark.
analysis::Point vertex(double x, double y);
/// A number of the paper.
analysis::Point paper_point(double x, double y);

/// Our curve without marks and the paper's points on it, in the order of x.
analysis::Series curve(std::string name, std::size_t colour, std::vector<analysis::Point> points);

analysis::Axis axis(std::string label, double low, double high);

/// Values from low to high, both included.
std::vector<double> steps(double low, double high, int count);

/// Acceptance of the children of a node: differences of SpecInfer's Table 1, success of the top k
/// in percent.
/// @throws DataError if the table lacks a rank
std::vector<double> specinfer_ranks(const Papers& papers, const std::string& decoding,
                                    const std::string& dataset);

/// The worked examples of one source's tree formulas.
void add_tree_examples(const Papers& papers, const std::string& source, Reproduction& result);

}  // namespace speclab::experiments
