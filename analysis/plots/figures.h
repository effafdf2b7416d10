#pragma once
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/plots/lines.h"

namespace speclab::analysis {

/// Everything the figures are made of; groups point into the run, which must outlive them.
struct FigureData {
  const Run& run;
  std::vector<Group> pooled;
  std::vector<Group> by_category;
};

/// Mean walltime of a generation over temperature, a line a drafter.
Figure walltime_vs_temperature(const FigureData& data);
/// Ratio to plain decoding over temperature.
Figure speedup_vs_temperature(const FigureData& data);
Figure tokens_per_round_vs_temperature(const FigureData& data);
/// Mean walltime over the parameters of the target at the lowest temperature; shape models have
/// hollow marks.
Figure walltime_vs_model_size(const FigureData& data);
/// Speed-up by category of the prompts at the lowest temperature.
Figure speedup_by_category(const FigureData& data);
/// Survival over the position in the draft at the lowest temperature.
Figure acceptance_by_position_figure(const FigureData& data, Bootstrap& bootstrap);
/// What a round spends its time on at the lowest temperature.
Figure time_split(const FigureData& data);

/// The figures that the run has data for, in the order of the report.
std::vector<Figure> build_figures(const FigureData& data, Bootstrap& bootstrap);

}  // namespace speclab::analysis
