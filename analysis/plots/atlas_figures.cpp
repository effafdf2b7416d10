#include "analysis/plots/atlas_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "analysis/plots/figure_text.h"

namespace speclab::analysis {
namespace {

/// What a figure shows of the rows it takes.
struct Shown {
  const char* id;
  const char* title;
  const char* label;
  std::function<bool(const AtlasRow&)> takes;
  std::function<CountedMean(const AtlasRow&)> mean;
};

std::string line_name(const AtlasRow& row) { return readable(row.rule) + (row.lossless ? "" : " (lossy)"); }

void add(const AtlasRow& row, const Shown& shown, Figure& figure) {
  const std::string name = line_name(row);
  auto series = std::ranges::find(figure.series, name, &Series::name);
  if (series == figure.series.end()) {
    figure.series.push_back({.name = name, .colour = figure.series.size() + 1, .points = {}, .prediction = {}});
    series = figure.series.end() - 1;
  }
  const CountedMean mean = shown.mean(row);
  series->points.push_back({.x = row.axes.temperature, .y = mean.counted, .interval = mean.range, .mark = row.lossless ? Mark::filled : Mark::hollow});
  series->prediction.push_back({.x = row.axes.temperature, .y = mean.closed_form, .interval = {}});
}

Figure figure_of(const std::vector<AtlasRow>& rows, const std::string& drafter, const Shown& shown) {
  std::int64_t fewest = INT64_MAX, most = 0;
  const std::string name = readable(drafter);
  Figure figure{.id = fmt::format("{}_{}", shown.id, drafter), .title = fmt::format("{}, {}", shown.title, name), .caption = "",
                .x = {.label = "temperature", .scale = Scale::linear, .names = {}}, .y = {.label = shown.label, .scale = Scale::linear, .names = {}},
                .series = {}, .reference = {}, .totals = {}, .dashed = "closed form"};
  for (const AtlasRow& row : rows) {
    if (row.axes.drafter != drafter || !shown.takes(row)) continue;
    add(row, shown, figure);
    fewest = std::min(fewest, row.rows);
    most = std::max(most, row.rows);
  }
  for (Series& series : figure.series) {
    std::ranges::sort(series.points, {}, &Point::x);
    std::ranges::sort(series.prediction, {}, &Point::x);
  }
  figure.caption = fmt::format("Target {}. Points: counted over {} to {} logged drafts a temperature; dashed: closed form of the same; bars: where 95 % of the counts lie "
                               "by their exact law. Hollow: the rule changes the output law.", rows.front().axes.model, fewest, most);
  return figure;
}

}  // namespace

std::vector<Figure> atlas_figures(const std::vector<AtlasRow>& rows) {
  const Shown all_shown[] = {
      {"atlas_one_draft", "Acceptance of one draft by rule", "acceptance", [](const AtlasRow& row) { return row.drafts == 1 && row.rule != "block"; }, [](const AtlasRow& row) { return row.acceptance; }},
      {"atlas_two_drafts", "Acceptance of any of two drafts by rule", "acceptance", [](const AtlasRow& row) { return row.drafts > 1; }, [](const AtlasRow& row) { return row.acceptance; }},
      {"atlas_block", "Tokens a round by rule", "tokens a round", [](const AtlasRow& row) { return row.block.has_value(); }, [](const AtlasRow& row) { return *row.block; }}};
  std::vector<std::string> drafters;
  std::vector<Figure> figures;
  for (const AtlasRow& row : rows) {
    if (std::ranges::find(drafters, row.axes.drafter) != drafters.end()) continue;
    drafters.push_back(row.axes.drafter);
    for (const Shown& shown : all_shown) figures.push_back(figure_of(rows, row.axes.drafter, shown));
  }
  return figures;
}

}  // namespace speclab::analysis
