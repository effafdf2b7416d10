// Table 4 of Leviathan et al. 2023: expected against measured speed-ups of T5-XXL, and what the
// best length would give.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/drivers/reproduce/tables/tables.h"
#include "sim/analytic/speedup.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr double kRounding = 0.05 + 1e-12;  ///< one decimal is printed
constexpr double kInputRounding = 0.005;    ///< α and c are printed to two decimals
constexpr int kLongest = 64;

/// The settings of a row.
struct PaperSetting {
  double acceptance_rate, cost_ratio;
  int speculation_length;
  std::string text;
};

PaperSetting setting_of(const analysis::Table& table, std::size_t row) {
  return {table.number(row, "acceptance_rate"), table.number(row, "cost_ratio"),
          small_count(table, row, "speculation_length"),
          fmt::format("task={};draft_model={};temperature={}", table.text(row, "task"),
                      table.text(row, "draft_model"), table.integer(row, "temperature"))};
}

/// What α and c that round to the printed ones give.
analysis::Interval reachable_speedups(const PaperSetting& s) {
  return {sim::predicted_speedup(s.acceptance_rate - kInputRounding, s.speculation_length,
                                 s.cost_ratio + kInputRounding),
          sim::predicted_speedup(s.acceptance_rate + kInputRounding, s.speculation_length,
                                 std::max(0.0, s.cost_ratio - kInputRounding))};
}

Comparison compared(const analysis::Table& table, std::size_t row) {
  const PaperSetting s = setting_of(table, row);
  const std::string quantity = table.text(row, "quantity");
  const double expected =
      sim::predicted_speedup(s.acceptance_rate, s.speculation_length, s.cost_ratio);
  const int best = sim::optimal_speculation_length(s.acceptance_rate, s.cost_ratio, kLongest);
  Comparison ours{.setting = s.text, .quantity = quantity};
  if (quantity == "expected_speedup_ratio") {
    const bool is_printed = is(table, row, "basis", "printed");
    ours.quantity = is_printed ? "expected_speedup" : "expected_speedup recomputed";
    ours.ours = expected;
    if (is_printed) {
      ours.tolerance = kRounding;
      ours.reachable = reachable_speedups(s);
    }
  } else if (quantity == "measured_speedup_ratio") {
    ours.ours = expected;
  } else if (quantity == "optimal_speculation_length_tokens") {
    ours.ours = best;
  } else if (quantity == "optimal_speedup_ratio") {
    ours.ours = sim::predicted_speedup(s.acceptance_rate, best, s.cost_ratio);
  } else {
    table.fail(row, "quantity", "'" + escaped(quantity) + "' is none of the table's quantities");
  }
  return compare(table, row, "value", ours);
}

/// The measured speed-up of a row's setting. @throws DataError if the table has none
double measured_beside(const analysis::Table& table, std::size_t row) {
  const std::string setting = setting_of(table, row).text;
  for (std::size_t other = 0; other < table.size(); ++other)
    if (is(table, other, "quantity", "measured_speedup_ratio") &&
        setting_of(table, other).text == setting)
      return table.number(other, "value");
  table.fail(row, "quantity", "no measured_speedup_ratio of the same setting; restore the file");
}

/// "small" of "T5-small".
std::string without_family(const std::string& model) {
  return model.starts_with("T5-") ? model.substr(3) : model;
}

/// "CNN/DM small, 0" for each setting.
std::vector<std::string> place_names(const analysis::Table& table) {
  std::vector<std::string> names;
  for (std::size_t row = 0; row < table.size(); ++row)
    if (is(table, row, "quantity", "measured_speedup_ratio"))
      names.push_back(fmt::format("{} {}, {}", is(table, row, "task", "cnn_dm") ? "CNN/DM" : "EnDe",
                                  without_family(table.text(row, "draft_model")),
                                  table.integer(row, "temperature")));
  return names;
}

analysis::Figure figure_of(const Reproduction& result, const std::vector<std::string>& places) {
  using analysis::Mark;
  analysis::Figure figure{
      .id = "leviathan_table_4",
      .title = "Expected and measured speed-ups of T5-XXL",
      .caption =
          "Filled: Theorem 3.8 from the printed inputs; hollow: as printed, expected and "
          "measured (one TPU-v4, batch 1). Leviathan et al. 2023, Table 4.",
      .kind = analysis::FigureKind::marks,
      .x = {.label = "task, T5 draft, temperature"},
      .y = {.label = "speed-up"},
      .reference = analysis::ReferenceLine{1.0, "plain decoding"}};
  analysis::Series ours{.name = "expected, ours", .colour = 1},
      printed{.name = "expected, printed", .colour = 2},
      measured{.name = "measured by the paper", .colour = 3};
  for (const Comparison& row : result.rows) {
    const double place = static_cast<double>(figure.x.names.size());
    if (row.quantity == "expected_speedup") {
      figure.x.names.push_back(places.at(figure.x.names.size()));
      ours.points.push_back({.x = place, .y = row.ours});
      printed.points.push_back({.x = place, .y = *row.reference, .mark = Mark::hollow});
    } else if (row.quantity == "measured_speedup_ratio") {
      measured.points.push_back({.x = place - 1, .y = *row.reference, .mark = Mark::hollow});
    }
  }
  figure.series = {ours, printed, measured};
  return figure;
}

}  // namespace

Reproduction leviathan_table_4(const Papers& papers) {
  const analysis::Table table = papers.table("leviathan_table4.csv");
  Reproduction result;
  int printed = 0;
  double relative_error = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    result.rows.push_back(compared(table, row));
    if (!is(table, row, "quantity", "expected_speedup_ratio") ||
        !is(table, row, "basis", "printed"))
      continue;
    const double measured = measured_beside(table, row);
    ++printed;
    relative_error += std::abs(table.number(row, "value") - measured) / measured;
  }
  result.rows.push_back(compare(papers.table("leviathan_text_values.csv"),
                                {.setting = "all, printed Exp against Emp",
                                 .quantity = "table4_mean_abs_relative_error_ratio",
                                 .ours = relative_error / printed,
                                 .tolerance = 1e-12}));
  result.figures.push_back(figure_of(result, place_names(table)));
  return result;
}

}  // namespace speclab::experiments
