#include "analysis/plots/prediction_figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/plots/figure_series.h"
#include "analysis/plots/figure_text.h"

namespace speclab::analysis {
namespace {

constexpr std::size_t kFewestCells = 12;

bool is_foretold(const Group& group) {
  const GroupSummary& summary = group.summary;
  return !group.axes.is_plain() && summary.drafting_fraction >= 0.5 && summary.speedup &&
         summary.prediction.speedup;
}

/// Drafter and tree, whatever the policy, rule and temperature.
std::string drafter_of(const Group& group) {
  return readable(group.axes.drafter) + (group.axes.tree == "chain" ? "" : ", " + group.axes.tree);
}

void add_mark(const Group& group, Figure& figure) {
  const std::string name = drafter_of(group);
  auto series = std::ranges::find(figure.series, name, &Series::name);
  if (series == figure.series.end())
    series = figure.series.insert(series, {.name = name, .colour = figure.series.size() + 1});
  series->points.push_back(make_point(*group.summary.prediction.speedup, *group.summary.speedup,
                                      group.summary.is_lossy() ? Mark::hollow : Mark::filled));
}

/// Around all marks and their intervals, the same for both axes.
Interval range_of(const Figure& figure) {
  Interval range{.low = figure.series.front().points.front().x,
                 .high = figure.series.front().points.front().x};
  for (const Series& series : figure.series)
    for (const Point& point : series.points) {
      const Interval y = point.interval.value_or(Interval{point.y, point.y});
      range = {std::min({range.low, point.x, y.low}), std::max({range.high, point.x, y.high})};
    }
  const double margin = 0.04 * (range.high - range.low);
  return {range.low - margin, range.high + margin};
}

}  // namespace

std::optional<Figure> prediction_figure(const FigureData& data) {
  std::vector<const Group*> cells = groups_of(primary_lines(data));
  std::erase_if(cells, [](const Group* group) { return !is_foretold(*group); });
  if (cells.size() < kFewestCells) return std::nullopt;
  Figure figure{
      .id = "predicted_speedup",
      .title = "Measured speed-up against the predicted one",
      .caption = fmt::format("Each mark is a cell of drafter, policy and temperature; shown are "
                             "the {} cells that draft in at least half of their rounds. Target {}. "
                             "The prediction came from pilot prompts before the measurement. {}",
                             cells.size(), primary_model(data.run.manifest, data.pooled),
                             describe_intervals(cells)),
      .kind = FigureKind::marks,
      .x = {.label = "predicted speed-up"},
      .y = {.label = "measured speed-up"},
      .reference = ReferenceLine{.name = "as predicted", .is_diagonal = true}};
  for (const Group* group : cells) add_mark(*group, figure);
  figure.x.range = figure.y.range = range_of(figure);
  return figure;
}

}  // namespace speclab::analysis
