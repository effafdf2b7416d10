#include "analysis/plots/timeline_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/plots/figure.h"
#include "analysis/plots/figure_series.h"
#include "analysis/plots/figure_text.h"

namespace speclab::analysis {
namespace {

using RoundsByRow = std::map<std::int64_t, std::vector<TimelineRound>>;

/// A generation whose rounds are known, under the name of its line.
struct Lane {
  std::string name;
  const Generation* generation;
};

/// Generations of the lines with known rounds, by prompt.
std::map<std::string, std::vector<Lane>> lanes_by_prompt(const std::vector<Line>& lines,
                                                         const RoundsByRow& rounds) {
  std::map<std::string, std::vector<Lane>> lanes;
  for (const Line& line : lines)
    for (const Generation* generation : line.groups.front()->generations)
      if (rounds.contains(generation->row_id))
        lanes[generation->prompt_id].push_back({line.name, generation});
  return lanes;
}

std::int64_t num_accepted(const std::vector<Lane>& lanes) {
  std::int64_t accepted = 0;
  for (const Lane& lane : lanes) accepted += lane.generation->accepted;
  return accepted;
}

/// Draft, target, and what is left of a round, one after the other.
void add_lane(const std::vector<TimelineRound>& rounds, double x, Figure& figure) {
  double now = 0.0;
  const auto add = [&](std::size_t part, std::int64_t ns) {
    const double begin = now;
    now += static_cast<double>(ns) / kNsPerMs;
    if (ns > 0)
      figure.series[part].points.push_back({.x = x, .y = now, .mark = Mark::none, .base = begin});
  };
  for (const TimelineRound& round : rounds) {
    add(0, round.draft_ns);
    add(1, round.target_ns);
    add(2, round.verify_ns + round.other_ns);
  }
}

std::string lane_name(const Lane& lane, const std::vector<TimelineRound>& rounds) {
  return lane.generation->axes.is_plain() ? fmt::format("{}: {} steps", lane.name, rounds.size())
                                          : fmt::format("{}: {} rounds", lane.name, rounds.size());
}

Figure figure_of(const std::string& prompt, const std::vector<Lane>& lanes,
                 const RoundsByRow& rounds) {
  const Generation& first = *lanes.front().generation;
  Figure figure{
      .id = "timeline",
      .title = "One generation, round by round",
      .caption = fmt::format("Decoding of {} at temperature {}, {} tokens, after the prompt was "
                             "read; one generation each, the first repetition.",
                             prompt, short_number(first.axes.temperature), first.output_tokens),
      .kind = FigureKind::timeline,
      .y = {.label = "time, ms"},
      .series = {{.name = "draft", .colour = 2},
                 {.name = "target", .colour = 1},
                 {.name = "verify and other", .colour = 0}}};
  for (const Lane& lane : lanes) {
    const std::vector<TimelineRound>& own = rounds.at(lane.generation->row_id);
    add_lane(own, static_cast<double>(figure.x.names.size()), figure);
    figure.x.names.push_back(lane_name(lane, own));
  }
  std::erase_if(figure.series, [](const Series& series) { return series.points.empty(); });
  return figure;
}

}  // namespace

std::optional<Figure> timeline_figure(const FigureData& data,
                                      const std::vector<TimelineRound>& rounds) {
  RoundsByRow by_row;
  for (const TimelineRound& round : rounds) by_row[round.row_id].push_back(round);
  const auto all = primary_lines(data);
  if (all.empty() || by_row.empty()) return std::nullopt;
  const auto lanes = lanes_by_prompt(at_temperature(all, lowest_temperature(all)), by_row);
  if (lanes.empty()) return std::nullopt;
  const auto shown = std::ranges::max_element(
      lanes, {}, [](const auto& entry) { return num_accepted(entry.second); });
  Figure figure = figure_of(shown->first, shown->second, by_row);
  return figure.series.empty() ? std::nullopt : std::optional(std::move(figure));
}

}  // namespace speclab::analysis
