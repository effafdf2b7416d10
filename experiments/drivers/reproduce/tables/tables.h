#pragma once
// Every table and figure that is rebuilt from formulas, and parts of their figures.

#include <string>
#include <vector>

#include "analysis/plots/figure.h"
#include "experiments/drivers/papers/comparison.h"
#include "experiments/drivers/papers/papers.h"

namespace speclab::experiments {

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

}  // namespace speclab::experiments
