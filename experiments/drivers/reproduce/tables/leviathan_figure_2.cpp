// Figure 2 of Leviathan et al. 2023: tokens a round over α for γ = 1, 3, 5, 7 and without end.

#include <fmt/format.h>

#include "experiments/drivers/reproduce/paper_figures.h"
#include "experiments/drivers/reproduce/tables/tables.h"
#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"

namespace speclab::experiments {
namespace {

/// @param length  as the paper writes it: a number, or "inf"
double tokens(double rate, const std::string& length) {
  return length == "inf" ? sim::oracle_tokens_per_round(rate)
                         : sim::tokens_per_round(rate, std::stoi(length));
}

}  // namespace

Reproduction leviathan_figure_2(const Papers& papers) {
  const analysis::Table table = papers.table("leviathan_fig2.csv");
  Reproduction result;
  analysis::Figure figure{
      .id = "leviathan_figure_2",
      .title = "Expected tokens a round over the acceptance rate",
      .caption =
          "Lines: closed form; marks: the paper's formula on its grid. Leviathan et al. "
          "2023, Figure 2.",
      .x = axis("acceptance rate", 0.5, 0.9),
      .y = axis("tokens a round", 0, 10)};
  for (const std::string length : {"1", "3", "5", "7", "inf"}) {
    std::vector<analysis::Point> points;
    for (const double rate : steps(0.5, 0.9, 160))
      points.push_back(vertex(rate, tokens(rate, length)));
    for (std::size_t row = 0; row < table.size(); ++row) {
      if (!is(table, row, "speculation_length", length)) continue;
      const double rate = table.number(row, "acceptance_rate");
      result.rows.push_back(
          compare(table, row, "tokens_per_round",
                  {.setting = fmt::format("acceptance_rate={};speculation_length={}", rate, length),
                   .quantity = "tokens_per_round",
                   .ours = tokens(rate, length)}));
      points.push_back(paper_point(rate, table.number(row, "tokens_per_round")));
    }
    figure.series.push_back(curve(length == "inf" ? "length without end" : "length " + length,
                                  figure.series.size() + 1, points));
  }
  result.figures.push_back(figure);
  return result;
}

}  // namespace speclab::experiments
