// Figure 5 of Leviathan et al. 2023: a trace of one generation. Its block counts are read off the
// drawing; what follows from them is ours.

#include "experiments/drivers/reproduce/tables/tables.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

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

Comparison compared(const analysis::Table& table, std::size_t row) {
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

analysis::Figure figure_of(const analysis::Table& table) {
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

Reproduction leviathan_figure_5(const Papers& papers) {
  const analysis::Table table = papers.table("leviathan_fig5.csv");
  Reproduction result;
  for (std::size_t row = 0; row < table.size(); ++row) result.rows.push_back(compared(table, row));
  result.figures.push_back(figure_of(table));
  return result;
}

}  // namespace speclab::experiments
