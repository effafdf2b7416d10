#include "analysis/plots/kind_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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

}  // namespace speclab::analysis
