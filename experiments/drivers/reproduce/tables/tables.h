#pragma once
// Every table and figure that is rebuilt from formulas, and the parts that they share.

#include <span>
#include <string>
#include <vector>

#include "analysis/plots/figure.h"
#include "experiments/drivers/papers/comparison.h"
#include "experiments/drivers/papers/papers.h"

namespace speclab::experiments {

/// A table or figure of a paper that `speclab reproduce` rebuilds from closed forms.
struct PaperExperiment {
  const char* id;
  const char* title;
  Reproduction (*run)(const Papers& papers);
};

std::span<const PaperExperiment> paper_experiments();

/// @throws ConfigError listing the names that are allowed, those of measured tables among them
const PaperExperiment& paper_experiment(const std::string& id);

/// All: @throws DataError if the papers' files lack what is needed
Reproduction leviathan_table_1(const Papers& papers);
Reproduction leviathan_table_4(const Papers& papers);
Reproduction leviathan_table_5(const Papers& papers);
Reproduction leviathan_figure_2(const Papers& papers);
Reproduction leviathan_figure_3(const Papers& papers);
Reproduction leviathan_figure_4(const Papers& papers);
Reproduction leviathan_figure_5(const Papers& papers);
Reproduction chen_figure_1(const Papers& papers);
Reproduction specinfer(const Papers& papers);
Reproduction sequoia(const Papers& papers);
Reproduction hf_schedule(const Papers& papers);
Reproduction ntt_metrics(const Papers& papers);
Reproduction batch_crossover(const Papers& papers);
Reproduction metric_crosswalk(const Papers& papers);

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
