// Figures of what happens within rounds.

#include <fmt/format.h>

#include "analysis/plots/figure_series.h"
#include "analysis/plots/figure_text.h"
#include "analysis/plots/units.h"
#include "analysis/stats/acceptance_by_position.h"

namespace speclab::analysis {
namespace {}  // namespace

Figure acceptance_by_position_figure(const FigureData& data, Bootstrap& bootstrap) {
  const auto all = primary_lines(data);
  const double lowest = lowest_temperature(all);
  Figure figure{
      .id = "acceptance_by_position",
      .title = "Acceptance by position",
      .caption = fmt::format("Probability that at least so many drafted tokens are accepted, at "
                             "temperature {}; shorter drafts do not count as rejections.",
                             short_number(lowest)),
      .x = {.label = "position in the draft"},
      .y = {.label = "survival"}};
  const auto lines = filtered(at_temperature(all, lowest),
                              [](const Group& group) { return !group.axes.is_plain(); });
  for (const auto& line : lines) {
    Series series{.name = line.name, .colour = line.colour};
    for (const auto& at :
         acceptance_by_position(line.groups.front()->generations, data.run, bootstrap)) {
      series.points.push_back(make_point(at.position, at.survival, Mark::filled));
    }
    if (!series.points.empty()) figure.series.push_back(std::move(series));
  }
  if (!lines.empty()) figure.caption += " " + describe_intervals(groups_of(lines));
  return figure;
}

Figure time_split(const FigureData& data) {
  const auto all = primary_lines(data);
  const double lowest = lowest_temperature(all);
  const auto lines = at_temperature(all, lowest);
  Figure figure{
      .id = "time_split",
      .title = "Time of a round by part",
      .caption = fmt::format(
          "Mean time of a round at temperature {}; a round of plain decoding is one step. {}",
          short_number(lowest), describe_intervals(groups_of(lines))),
      .kind = FigureKind::stacked_bars,
      .y = {.label = "time of a round, ms"},
      .series = {{.name = "target", .colour = 1},
                 {.name = "draft", .colour = 2},
                 {.name = "verify", .colour = 3},
                 {.name = "other", .colour = 0}}};
  for (const auto& line : lines) {
    const double x = static_cast<double>(figure.x.names.size());
    const GroupSummary& summary = line.groups.front()->summary;
    const TimeSplit& split = summary.split;
    figure.x.names.push_back(line.name);
    const double parts[] = {split.target_ns, split.draft_ns, split.verify_ns, split.other_ns};
    for (std::size_t i = 0; i < std::size(parts); ++i)
      figure.series[i].points.push_back({.x = x, .y = parts[i] / kNsPerMs});
    figure.totals.push_back(make_point(x, scaled(summary.round_ns, 1 / kNsPerMs), Mark::filled));
  }
  return figure;
}

}  // namespace speclab::analysis
