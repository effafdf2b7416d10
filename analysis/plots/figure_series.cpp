#include "analysis/plots/figure_series.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/plots/figure_text.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

Series make_series(const Line& line, const Shown& shown) {
  Series series{.name = line.name, .colour = line.colour};
  for (const auto* group : line.groups) {
    const double x = shown.x(*group);
    if (const auto y = shown.measured(group->summary))
      series.points.push_back(make_point(x, *y, shown.mark(*group)));
    if (const auto y = shown.predicted(group->summary.prediction))
      series.prediction.push_back({.x = x, .y = *y});
  }
  std::ranges::sort(series.points, {}, &Point::x);
  std::ranges::sort(series.prediction, {}, &Point::x);
  return series;
}

std::string hollow_note(const std::vector<Line>& lines) {
  const bool any = std::ranges::any_of(
      groups_of(lines), [](const Group* group) { return group->summary.is_lossy(); });
  return any ? " Hollow: the rule changes the output law." : "";
}

/// Why predictions have intervals, or not.
std::string interval_note(const Shown& shown, const Series& predicted) {
  if (!shown.predicted_interval) return "without intervals, which are made for the speed-up";
  const auto without =
      std::ranges::count_if(predicted.points, [](const Point& point) { return !point.interval; });
  if (without == 0) return "with 95 % intervals of what is measured, from pilots and timings";
  return without == std::ssize(predicted.points)
             ? "without intervals, which these pilots do not bear"
             : fmt::format("{} of {} without an interval, which their pilots do not bear", without,
                           predicted.points.size());
}

}  // namespace

Point make_point(double x, const Estimate& estimate, Mark mark) {
  return {.x = x, .y = estimate.value, .interval = estimate.interval, .mark = mark};
}

Figure speedup_frame(const std::string& id) {
  return {.id = id,
          .title = "Speed-up",
          .caption =
              "Walltime of plain decoding divided by the drafter's, same prompts and repetitions.",
          .y = {.label = "speed-up"},
          .reference = ReferenceLine{1.0, "plain decoding"}};
}

Figure tokens_per_round_frame(const std::string& id) {
  return {.id = id,
          .title = "Tokens per round",
          .caption = "Accepted tokens plus the recovered or bonus token, all rounds counted.",
          .y = {.label = "tokens per round"}};
}

Series& series_named(Figure& figure, const std::string& name) {
  auto found = std::ranges::find(figure.series, name, &Series::name);
  if (found == figure.series.end())
    found = figure.series.insert(found, {.name = name, .colour = figure.series.size() + 1});
  return *found;
}

double place_named(Axis& axis, const std::string& name) {
  auto found = std::ranges::find(axis.names, name);
  if (found == axis.names.end()) found = axis.names.insert(found, name);
  return static_cast<double>(found - axis.names.begin());
}

std::vector<const Group*> groups_of(const std::vector<Line>& lines) {
  std::vector<const Group*> groups;
  for (const auto& line : lines)
    groups.insert(groups.end(), line.groups.begin(), line.groups.end());
  return groups;
}

void add_places(const std::vector<Line>& lines, const Shown& shown, Figure& figure) {
  figure.kind = FigureKind::marks;
  Series measured{.name = "measured", .colour = 1}, predicted{.name = "predicted", .colour = 2};
  for (const Line& line : lines) {
    const Group& group = *line.groups.front();
    const auto estimate = shown.measured(group.summary);
    if (!estimate) continue;
    const auto place = static_cast<double>(figure.x.names.size());
    figure.x.names.push_back(line.name);
    measured.points.push_back(make_point(place, *estimate, shown.mark(group)));
    if (const auto y = shown.predicted(group.summary.prediction))
      predicted.points.push_back(
          {.x = place,
           .y = *y,
           .interval = shown.predicted_interval ? shown.predicted_interval(group.summary.prediction)
                                                : std::nullopt});
  }
  if (!predicted.points.empty())
    figure.caption +=
        fmt::format(" Triangles: {}, {}.", shown.prediction_basis, interval_note(shown, predicted));
  for (Series* series : {&measured, &predicted})
    if (!series->points.empty()) figure.series.push_back(std::move(*series));
  figure.caption += hollow_note(lines);
  figure.caption += " " + describe_intervals(groups_of(lines));
}

void add_lines(const std::vector<Line>& lines, const Shown& shown, Figure& figure) {
  for (const auto& line : lines) {
    Series series = make_series(line, shown);
    if (!series.points.empty()) figure.series.push_back(std::move(series));
  }
  const auto predicted = [](const Series& series) { return !series.prediction.empty(); };
  if (std::ranges::any_of(figure.series, predicted))
    figure.caption += fmt::format(" Dashed: {}.", shown.prediction_basis);
  figure.caption += hollow_note(lines);
  figure.caption += " " + describe_intervals(groups_of(lines));
}

std::vector<Line> primary_lines(const FigureData& data) {
  const std::string model = primary_model(data.run.manifest, data.pooled);
  return filtered(make_lines(data.pooled),
                  [&](const Group& group) { return group.axes.model == model; });
}

bool has_one_point_a_line(const std::vector<Line>& lines) {
  return groups_of(lines).size() == lines.size();
}

double lowest_temperature(const std::vector<Line>& lines) {
  const auto groups = groups_of(lines);
  SPECLAB_EXPECT(!groups.empty(), "a figure without lines");
  return (*std::ranges::min_element(groups, {},
                                    [](const Group* group) { return group->axes.temperature; }))
      ->axes.temperature;
}

std::vector<Line> at_temperature(const std::vector<Line>& lines, double temperature) {
  return filtered(lines, [&](const Group& group) { return group.axes.temperature == temperature; });
}

}  // namespace speclab::analysis
