// Figure 3 of Leviathan et al. 2023: the best length over α for four costs. Its staircase is known
// by the α at which it steps.

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "experiments/drivers/reproduce/tables/tables.h"
#include "sim/analytic/speedup.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr int kLongest = 64;
constexpr double kLow = 0.5, kHigh = 0.9;  ///< the paper's axis

Comparison compared(const analysis::Table& table, std::size_t row) {
  const double cost = table.number(row, "cost_ratio"), rate = table.number(row, "acceptance_rate");
  const int length = small_count(table, row, "optimal_speculation_length");
  if (is(table, row, "point_kind", "step"))
    return compare(table, row, "acceptance_rate",
                   {.setting = fmt::format("cost_ratio={};steps_to={}", cost, length),
                    .quantity = "acceptance_rate_of_step",
                    .ours = sim::acceptance_rate_of_step(length, cost)});
  if (!is(table, row, "point_kind", "grid")) table.fail(row, "point_kind", "allowed: grid, step");
  return compare(
      table, row, "optimal_speculation_length",
      {.setting = fmt::format("cost_ratio={};acceptance_rate={}", cost, rate),
       .quantity = "optimal_speculation_length",
       .ours = static_cast<double>(sim::optimal_speculation_length(rate, cost, kLongest))});
}

/// Our staircase over the paper's axis.
std::vector<analysis::Point> staircase(double cost) {
  int length = sim::optimal_speculation_length(kLow, cost, kLongest);
  std::vector<analysis::Point> points{vertex(kLow, length)};
  for (double rate; (rate = sim::acceptance_rate_of_step(length + 1, cost)) <= kHigh; ++length) {
    points.push_back(vertex(rate, length));
    points.push_back(vertex(rate, length + 1));
  }
  points.push_back(vertex(kHigh, length));
  return points;
}

analysis::Figure figure_of(const analysis::Table& table) {
  analysis::Figure figure{
      .id = "leviathan_figure_3",
      .title = "The best speculation length over the acceptance rate",
      .caption =
          "Lines: exact integer arg max; marks: the paper's formula on its grid. Leviathan et "
          "al. 2023, Figure 3.",
      .x = axis("acceptance rate", kLow, kHigh),
      .y = axis("best speculation length", 0, 25)};
  std::set<double> costs;
  for (std::size_t row = 0; row < table.size(); ++row)
    costs.insert(table.number(row, "cost_ratio"));
  for (const double cost : costs) {
    std::vector<analysis::Point> points = staircase(cost);
    for (std::size_t row = 0; row < table.size(); ++row)
      if (table.number(row, "cost_ratio") == cost && is(table, row, "point_kind", "grid"))
        points.push_back(
            paper_point(table.number(row, "acceptance_rate"),
                        static_cast<double>(table.count(row, "optimal_speculation_length"))));
    figure.series.push_back(curve(fmt::format("c = {}", cost), figure.series.size() + 1, points));
  }
  return figure;
}

/// Every step that our staircase has on the paper's axis stands in the paper's table, and no other.
Comparison step_count(const analysis::Table& table) {
  std::set<double> costs;
  int listed = 0, ours = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    costs.insert(table.number(row, "cost_ratio"));
    listed += is(table, row, "point_kind", "step");
  }
  for (const double cost : costs) ours += (static_cast<int>(staircase(cost).size()) - 2) / 2;
  return {.setting = "acceptance_rate from 0.5 to 0.9",
          .quantity = "steps",
          .ours = static_cast<double>(ours),
          .reference = listed,
          .tolerance = 0,
          .source = "leviathan2023",
          .locator = "Figure 3"};
}

}  // namespace

Reproduction leviathan_figure_3(const Papers& papers) {
  const analysis::Table table = papers.table("leviathan_fig3.csv"),
                        text = papers.table("leviathan_text_values.csv");
  Reproduction result;
  for (std::size_t row = 0; row < table.size(); ++row) result.rows.push_back(compared(table, row));
  result.rows.push_back(step_count(table));
  const auto add_text_value = [&](const char* quantity, const std::string& setting, double ours) {
    result.rows.push_back(compare(
        text, {.setting = setting, .quantity = quantity, .ours = ours, .tolerance = 1e-12}));
  };
  add_text_value("oracle_gain_supremum_ratio", "", sim::oracle_gain_supremum());
  add_text_value("oracle_gain_max_on_fig3_range_ratio", "acceptance_rate=0.9;cost_ratio=0.1",
                 sim::oracle_gain(0.9, 0.1));
  add_text_value("bigram_en_de_speedup_recomputed_ratio",
                 "acceptance_rate=0.2;speculation_length=3;cost_ratio=0",
                 sim::predicted_speedup(0.2, 3, 0.0));
  result.figures.push_back(figure_of(table));
  return result;
}

}  // namespace speclab::experiments
