#include "analysis/plots/kind_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "analysis/plots/figure_series.h"
#include "analysis/plots/figure_text.h"

namespace speclab::analysis {
namespace {

Point point_of(const CostRow& cost) {
  Point point{.x = static_cast<double>(cost.rows), .y = cost.ns.value / kNsPerMs};
  if (const auto& interval = cost.ns.interval)
    point.interval = Interval{interval->low / kNsPerMs, interval->high / kNsPerMs};
  return point;
}

void add_series(const std::map<std::int64_t, std::vector<Point>>& points_of_context,
                Figure& figure) {
  for (const auto& [context, points] : points_of_context) {
    figure.series.push_back({.name = fmt::format("after {} tokens", context),
                             .colour = figure.series.size() + 1,
                             .points = points});
    std::ranges::sort(figure.series.back().points, {}, &Point::x);
  }
}

Figure forward_cost_figure(const std::vector<CostRow>& costs, const std::string& model,
                           std::size_t number) {
  std::map<std::int64_t, std::vector<Point>> points_of_context;
  std::size_t fewest = SIZE_MAX, most = 0;
  for (const CostRow& cost : costs) {
    if (cost.kind != sim::CostKind::target || cost.setting.model != model) continue;
    points_of_context[cost.context].push_back(point_of(cost));
    fewest = std::min(fewest, cost.ns.n);
    most = std::max(most, cost.ns.n);
  }
  const std::string sample =
      fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most);
  Figure figure{
      .id = number == 1 ? "forward_cost" : fmt::format("forward_cost_{}", number),
      .title = "Time of a forward of " + model,
      .caption = fmt::format(
          "Target {}. {} passes or timings for each point; bars: 95 % intervals if there are any.",
          model, sample),
      .x = {.label = "rows of the forward"},
      .y = {.label = "time of a forward, ms"}};
  add_series(points_of_context, figure);
  return figure;
}

/// What a figure shows of the rows it takes.
struct AtlasColumn {
  const char* id;
  const char* title;
  const char* label;
  std::function<bool(const AtlasRow&)> takes;
  std::function<CountedMean(const AtlasRow&)> mean;
};

void add(const AtlasRow& row, const std::string& name, const AtlasColumn& shown, Figure& figure) {
  Series& series = series_named(figure, name);
  const CountedMean mean = shown.mean(row);
  series.points.push_back({.x = row.axes.temperature,
                           .y = mean.counted,
                           .interval = mean.range,
                           .mark = row.lossless ? Mark::filled : Mark::hollow});
  series.prediction.push_back({.x = row.axes.temperature, .y = mean.closed_form});
}

/// What one figure holds: cells that differ in temperature alone.
std::tuple<std::string, std::string, std::string, std::string, double> group_of(
    const AtlasRow& row) {
  return {row.axes.model, row.axes.drafter, row.axes.policy, row.category, row.axes.top_p};
}

/// The rule, and of a lossy one by how much it changes the law at the temperatures of the figure.
std::string line_name(const AtlasRow& row, const std::vector<AtlasRow>& rows) {
  if (row.lossless) return readable(row.rule);
  double least = row.distance, most = row.distance;
  for (const AtlasRow& other : rows)
    if (group_of(other) == group_of(row) && other.rule == row.rule)
      least = std::min(least, other.distance), most = std::max(most, other.distance);
  return readable(row.rule) + lossy_suffix(least, most);
}

Figure figure_of(const std::vector<AtlasRow>& rows, const AtlasRow& first, std::size_t number,
                 const AtlasColumn& shown) {
  std::int64_t fewest = first.logged_drafts, most = 0;
  Figure figure{.id = fmt::format("{}_{}", shown.id, number),
                .title = fmt::format("{}, {}", shown.title, readable(first.axes.drafter)),
                .caption = "",
                .x = {.label = "temperature"},
                .y = {.label = shown.label},
                .dashed = "closed form"};
  for (const AtlasRow& row : rows) {
    if (group_of(row) != group_of(first) || !shown.takes(row)) continue;
    add(row, line_name(row, rows), shown, figure);
    fewest = std::min(fewest, row.logged_drafts);
    most = std::max(most, row.logged_drafts);
  }
  for (Series& series : figure.series) {
    std::ranges::sort(series.points, {}, &Point::x);
    std::ranges::sort(series.prediction, {}, &Point::x);
  }
  figure.caption = fmt::format(
      "Target {}. Points: counted over {} to {} logged drafts a temperature; dashed: closed form "
      "of the same; bars: where 95 % of the counts lie "
      "by their exact law. Hollow: the rule changes the output law.",
      first.axes.model, fewest, most);
  return figure;
}

}  // namespace

std::vector<Figure> forward_cost_figures(const std::vector<CostRow>& costs) {
  std::vector<std::string> models;
  std::vector<Figure> figures;
  for (const CostRow& cost : costs) {
    if (cost.kind != sim::CostKind::target ||
        std::ranges::find(models, cost.setting.model) != models.end())
      continue;
    models.push_back(cost.setting.model);
    figures.push_back(forward_cost_figure(costs, cost.setting.model, models.size()));
  }
  return figures;
}

std::vector<Figure> atlas_figures(const std::vector<AtlasRow>& rows) {
  const AtlasColumn all_shown[] = {
      {"atlas_one_draft", "Acceptance of one draft by rule", "acceptance",
       [](const AtlasRow& row) { return row.drafts == 1 && row.rule != "block"; },
       [](const AtlasRow& row) { return row.acceptance; }},
      {"atlas_two_drafts", "Acceptance of any of two drafts by rule", "acceptance",
       [](const AtlasRow& row) { return row.drafts > 1; },
       [](const AtlasRow& row) { return row.acceptance; }},
      {"atlas_block", "Tokens a round by rule", "tokens a round",
       [](const AtlasRow& row) { return row.tokens_per_round.has_value(); },
       [](const AtlasRow& row) { return *row.tokens_per_round; }}};
  std::vector<const AtlasRow*> groups;
  std::vector<Figure> figures;
  for (const AtlasRow& row : rows) {
    if (std::ranges::any_of(
            groups, [&](const AtlasRow* first) { return group_of(*first) == group_of(row); }))
      continue;
    groups.push_back(&row);
    for (const AtlasColumn& shown : all_shown)
      if (Figure figure = figure_of(rows, row, groups.size(), shown); !figure.series.empty())
        figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace speclab::analysis
