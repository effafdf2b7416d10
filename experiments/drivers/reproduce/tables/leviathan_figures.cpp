// Table 1 and Figures 2, 4 and 5 of Leviathan et al. 2023.
// Table 1: six pairs of α and γ, drafts that cost nothing.
// Figure 2: tokens a round over α for γ = 1, 3, 5, 7 and without end.
// Figure 4: speed-up and operations over α where drafting costs nothing.
// Figure 5: a trace of one generation. Its block counts are read off the drawing; the values that
// follow from them are ours.

#include <fmt/format.h>

#include "experiments/drivers/reproduce/tables/tables.h"
#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

Comparison compared_pair(const analysis::Table& table, std::size_t row) {
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
analysis::Figure figure_of_pairs(const analysis::Table& table) {
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
        const Comparison here = compared_pair(table, row);
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

/// @param length  as the paper writes it: a number, or "inf"
double tokens(double rate, const std::string& length) {
  return length == "inf" ? sim::oracle_tokens_per_round(rate)
                         : sim::tokens_per_round(rate, std::stoi(length));
}

constexpr const char* kTarget = "target_decoder_blocks_count";
constexpr const char* kDraft = "draft_decoder_blocks_count";

/// The value of a quantity in one row of the drawing.
double drawn(const analysis::Table& table, const std::string& trace, const std::string& quantity) {
  for (std::size_t row = 0; row < table.size(); ++row)
    if (is(table, row, "trace_row", trace) && is(table, row, "quantity", quantity))
      return table.number(row, "value");
  throw DataError("leviathan_fig5.csv: no row '" + trace + "' with quantity '" + quantity +
                  "'; restore the file");
}

Comparison compared_trace(const analysis::Table& table, std::size_t row) {
  const std::string trace = table.text(row, "trace_row"), quantity = table.text(row, "quantity");
  Comparison ours{
      .setting = "trace=" + trace, .quantity = quantity, .ours = table.number(row, "value")};
  const double target = drawn(table, trace, kTarget);
  if (quantity == kDraft)
    ours.ours = static_cast<double>(table.count(row, "speculation_length")) * target;
  if (quantity == "tokens_per_round") ours.ours = drawn(table, "baseline", kTarget) / target;
  if (quantity == kDraft || quantity == "tokens_per_round") ours.tolerance = 1e-12;
  return compare(table, row, "value", ours);
}

analysis::Figure figure_of_traces(const analysis::Table& table) {
  analysis::Figure figure{
      .id = "leviathan_figure_5",
      .title = "Decoder blocks of one generation",
      .caption =
          "Counts read off Figure 5 of Leviathan et al. 2023: how often each model's decoder runs.",
      .kind = analysis::FigureKind::stacked_bars,
      .x = {.label = "", .names = {"length 7", "length 3", "plain decoding"}},
      .y = {.label = "decoder runs"}};
  analysis::Series target{.name = "target", .colour = 1}, draft{.name = "draft", .colour = 2};
  double place = 0;
  for (const char* trace : {"gamma_7", "gamma_3", "baseline"}) {
    target.points.push_back({.x = place, .y = drawn(table, trace, kTarget)});
    draft.points.push_back({.x = place, .y = drawn(table, trace, kDraft)});
    ++place;
  }
  figure.series = {target, draft};
  return figure;
}

}  // namespace

Reproduction leviathan_table_1(const Papers& papers) {
  const analysis::Table table = papers.table("leviathan_table1.csv");
  Reproduction result;
  for (std::size_t row = 0; row < table.size(); ++row)
    result.rows.push_back(compared_pair(table, row));
  result.figures.push_back(figure_of_pairs(table));
  return result;
}

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

Reproduction leviathan_figure_5(const Papers& papers) {
  const analysis::Table table = papers.table("leviathan_fig5.csv");
  Reproduction result;
  for (std::size_t row = 0; row < table.size(); ++row)
    result.rows.push_back(compared_trace(table, row));
  result.figures.push_back(figure_of_traces(table));
  return result;
}

}  // namespace speclab::experiments
