// Figure 4 of Leviathan et al. 2023: speed-up and operations over α where drafting costs nothing.

#include <fmt/format.h>

#include "experiments/drivers/reproduce/paper_figures.h"
#include "experiments/drivers/reproduce/tables/tables.h"
#include "sim/analytic/speedup.h"

namespace speclab::experiments {

Reproduction leviathan_figure_4(const Papers& papers) {
  const analysis::Table table = papers.table("leviathan_fig4.csv");
  Reproduction result;
  analysis::Figure figure{
      .id = "leviathan_figure_4",
      .title = "Speed-up and operations over the acceptance rate, drafts that cost nothing",
      .caption =
          "Solid: speed-up, marks: the paper's formula on its grid; dashed: "
          "operations relative to plain decoding. Leviathan et al. 2023, Figure 4.",
      .x = axis("acceptance rate", 0.5, 0.9),
      .y = axis("ratio to plain decoding", 0, 7),
      .dashed = "operations"};
  for (const int length : {1, 3, 5, 7, 10}) {
    std::vector<analysis::Point> points, operations;
    for (const double rate : steps(0.5, 0.9, 160)) {
      points.push_back(vertex(rate, sim::predicted_speedup(rate, length, 0.0)));
      operations.push_back(vertex(rate, sim::operations_factor(rate, length, 0.0)));
    }
    for (std::size_t row = 0; row < table.size(); ++row) {
      if (table.count(row, "speculation_length") != length) continue;
      const double rate = table.number(row, "acceptance_rate");
      const std::string setting =
          fmt::format("acceptance_rate={};speculation_length={}", rate, length);
      result.rows.push_back(compare(table, row, "predicted_speedup_ratio",
                                    {.setting = setting,
                                     .quantity = "predicted_speedup",
                                     .ours = sim::predicted_speedup(rate, length, 0.0)}));
      result.rows.push_back(compare(table, row, "operations_factor_ratio",
                                    {.setting = setting,
                                     .quantity = "operations_factor",
                                     .ours = sim::operations_factor(rate, length, 0.0)}));
      points.push_back(paper_point(rate, table.number(row, "predicted_speedup_ratio")));
    }
    figure.series.push_back(
        curve(fmt::format("length {}", length), figure.series.size() + 1, points));
    figure.series.back().prediction = operations;
  }
  result.figures.push_back(figure);
  return result;
}

}  // namespace speclab::experiments
