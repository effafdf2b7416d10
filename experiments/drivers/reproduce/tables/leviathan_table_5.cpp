// Table 5 and Appendix A.5 of Leviathan et al. 2023: acceptance by lenience (measured there) and
// the speed-ups quoted for it.

#include <fmt/format.h>

#include <map>

#include "experiments/drivers/reproduce/tables/tables.h"
#include "sim/analytic/speedup.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr int kLongest = 64;

std::string setting_of(const analysis::Table& table, std::size_t row) {
  return fmt::format("draft_model={};temperature={};lenience={}", table.text(row, "draft_model"),
                     table.integer(row, "temperature"), table.number(row, "lenience"));
}

/// Printed acceptance rates and printed speed-ups by setting.
using BySetting = std::map<std::string, double>;

BySetting printed(const analysis::Table& table, const std::string& quantity) {
  BySetting values;
  for (std::size_t row = 0; row < table.size(); ++row)
    if (is(table, row, "quantity", quantity))
      values[setting_of(table, row)] = table.number(row, "value");
  return values;
}

/// @throws DataError if the table prints none for the setting of this row
double printed_for(const analysis::Table& table, std::size_t row, const BySetting& values) {
  const auto found = values.find(setting_of(table, row));
  if (found == values.end())
    table.fail(
        row, "quantity",
        "the table prints no acceptance rate or no speed-up of this setting; restore the file");
  return found->second;
}

Comparison compared(const analysis::Table& table, std::size_t row, const BySetting& rates,
                    const BySetting& speedups) {
  const std::string setting = setting_of(table, row), quantity = table.text(row, "quantity");
  Comparison ours{.setting = setting, .quantity = quantity};
  const double rate = printed_for(table, row, rates), cost = table.number(row, "cost_ratio");
  const bool has_length = table.optional_text(row, "speculation_length").has_value();
  if (quantity == "acceptance_rate_needed") {
    ours.ours = sim::acceptance_rate_needed(printed_for(table, row, speedups), cost, kLongest);
  } else if (quantity == "speedup_ratio" ||
             quantity ==
                 "speedup_ratio_recomputed") {  // quoted without its length at temperature 1
    ours.ours =
        sim::predicted_speedup(rate,
                               has_length ? small_count(table, row, "speculation_length")
                                          : sim::optimal_speculation_length(rate, cost, kLongest),
                               cost);
  } else if (quantity == "best_speedup_ratio") {
    ours.ours =
        sim::predicted_speedup(rate, sim::optimal_speculation_length(rate, cost, kLongest), cost);
  } else {
    table.fail(row, "quantity", "'" + escaped(quantity) + "' is none of the table's quantities");
  }
  return compare(table, row, "value", ours);
}

/// The best length is an integer of ours; the paper prints none at temperature 1.
void add_best_length(const analysis::Table& table, std::size_t row, const BySetting& rates,
                     Reproduction& result) {
  if (!is(table, row, "quantity", "best_speedup_ratio")) return;
  result.rows.push_back(
      {.setting = setting_of(table, row),
       .quantity = "best_speculation_length",
       .ours = static_cast<double>(sim::optimal_speculation_length(
           printed_for(table, row, rates), table.number(row, "cost_ratio"), kLongest)),
       .reference = table.number(row, "speculation_length"),
       .tolerance = 0,
       .source = "leviathan2023",
       .locator = "Theorem 3.8"});
}

/// A line a draft and temperature.
analysis::Figure figure_of(const analysis::Table& table) {
  analysis::Figure figure{
      .id = "leviathan_table_5",
      .title = "Acceptance rate by lenience",
      .caption =
          "As printed: English to German, T5-XXL. Leviathan et al. 2023, Table 5 and Appendix A.5 "
          "(temperature 0: a token is kept if p(x) >= l max p).",
      .x = axis("lenience l; 1 is lossless", 0, 1.05),
      .y = axis("acceptance rate", 0, 1)};
  std::map<std::string, std::size_t> place;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (!is(table, row, "quantity", "acceptance_rate")) continue;
    const std::string name = fmt::format("{}, temperature {}", table.text(row, "draft_model"),
                                         table.integer(row, "temperature"));
    const auto [found, is_new] = place.try_emplace(name, figure.series.size());
    if (is_new) figure.series.push_back({.name = name, .colour = figure.series.size() + 1});
    figure.series[found->second].points.push_back(
        paper_point(table.number(row, "lenience"), table.number(row, "value")));
  }
  return figure;
}

/// Steps at which acceptance falls while lenience falls: none by p(x) >= l max p, all by the
/// printed <=.
int falls(const analysis::Table& table) {
  int count = 0;
  for (std::size_t row = 1; row < table.size(); ++row) {
    const bool is_series =
        is(table, row, "quantity", "acceptance_rate") && is(table, row, "temperature", "0") &&
        is(table, row - 1, "temperature", "0") && is(table, row - 1, "quantity", "acceptance_rate");
    count += is_series && table.number(row, "value") < table.number(row - 1, "value");
  }
  return count;
}

}  // namespace

Reproduction leviathan_table_5(const Papers& papers) {
  const analysis::Table table = papers.table("leviathan_table5.csv");
  const BySetting rates = printed(table, "acceptance_rate"),
                  speedups = printed(table, "speedup_ratio");
  Reproduction result;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (is(table, row, "quantity", "acceptance_rate"))
      continue;  // measured there; the figure shows it
    result.rows.push_back(compared(table, row, rates, speedups));
    add_best_length(table, row, rates, result);
  }
  result.rows.push_back({.setting = "draft_model=T5-small;temperature=0",
                         .quantity = "falls of the acceptance rate while l falls",
                         .ours = static_cast<double>(falls(table)),
                         .reference = 0.0,
                         .tolerance = 0,
                         .source = "leviathan2023",
                         .locator = "Appendix A.5"});
  result.figures.push_back(figure_of(table));
  return result;
}

}  // namespace speclab::experiments
