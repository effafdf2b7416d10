// Table 1 of Leviathan et al. 2023: six pairs of α and γ, drafts that cost nothing.

#include <fmt/format.h>

#include "experiments/drivers/reproduce/paper_figures.h"
#include "experiments/drivers/reproduce/tables/tables.h"
#include "sim/analytic/speedup.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

Comparison compared(const analysis::Table& table, std::size_t row) {
  const double rate = table.number(row, "acceptance_rate");
  const int length = small_count(table, row, "speculation_length");
  const std::string quantity = table.text(row, "quantity");
  const bool is_speedup = quantity == "predicted_speedup";
  if (!is_speedup && quantity != "operations_factor")
    table.fail(row, "quantity",
               "'" + escaped(quantity) + "'; allowed: predicted_speedup, operations_factor");
  const double ours =
      is_speedup
          ? sim::predicted_speedup(rate, length, table.number(row, "cost_ratio"))
          : sim::operations_factor(rate, length, table.number(row, "draft_operations_ratio"));
  return compare(table, row, "value_ratio",
                 {.setting = fmt::format("acceptance_rate={};speculation_length={}", rate, length),
                  .quantity = quantity + " " + table.text(row, "basis"),
                  .ours = ours});
}

/// A place a pair, ours over the printed.
analysis::Figure figure_of(const analysis::Table& table) {
  analysis::Figure figure{
      .id = "leviathan_table_1",
      .title = "Speed-up and operations where drafting costs nothing",
      .caption = "Filled: closed form; hollow: as printed. Leviathan et al. 2023, Table 1.",
      .kind = analysis::FigureKind::marks,
      .x = {.label = "acceptance rate, speculation length"},
      .y = {.label = "ratio to plain decoding"}};
  for (const char* name : {"predicted_speedup", "operations_factor"})
    for (const bool is_printed : {false, true}) {
      analysis::Series series{.name = std::string(name) + (is_printed ? ", printed" : ""),
                              .colour = figure.series.size() + 1};
      double place = 0;
      for (std::size_t row = 0; row < table.size(); ++row) {
        if (!is(table, row, "quantity", name) || !is(table, row, "basis", "printed")) continue;
        const Comparison here = compared(table, row);
        series.points.push_back(
            {.x = place++,
             .y = is_printed ? *here.reference : here.ours,
             .mark = is_printed ? analysis::Mark::hollow : analysis::Mark::filled});
        if (figure.series.empty())
          figure.x.names.push_back(fmt::format("{}, {}", table.number(row, "acceptance_rate"),
                                               table.count(row, "speculation_length")));
      }
      figure.series.push_back(series);
    }
  return figure;
}

}  // namespace

Reproduction leviathan_table_1(const Papers& papers) {
  const analysis::Table table = papers.table("leviathan_table1.csv");
  Reproduction result;
  for (std::size_t row = 0; row < table.size(); ++row) result.rows.push_back(compared(table, row));
  result.figures.push_back(figure_of(table));
  return result;
}

}  // namespace speclab::experiments
