#include "analysis/plots/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/plots/figure.h"
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

constexpr double kMargin = 0.25;  ///< of what the bars span, below and above them

/// Bars that hang between two heights.
class Waterfall {
 public:
  explicit Waterfall(Figure figure) : figure_(std::move(figure)) {}

  void add_total(const std::string& name, double height) {
    add(name, height, height, 0);
    is_total_.push_back(true);
    top_ = height;
  }
  void add_step(const std::string& name, const Estimate& step) {
    const double end = top_ + step.value;
    add(name, top_, end, step.value >= 0 ? 1 : 2);
    is_total_.push_back(false);
    figure_.totals.push_back({.x = figure_.series[0].points.back().x, .y = end});
    if (step.interval)
      figure_.totals.back().interval =
          Interval{top_ + step.interval->low, top_ + step.interval->high};
    top_ = end;
  }

  /// The totals stand on the lower end of the axis, which is not 0: the steps would not be seen.
  Figure finished() {
    double low = top_, high = top_;
    for (const Series& series : figure_.series)
      for (const Point& point : series.points)
        low = std::min({low, point.y, point.base}), high = std::max({high, point.y, point.base});
    for (const Point& total : figure_.totals)
      if (total.interval)
        low = std::min(low, total.interval->low), high = std::max(high, total.interval->high);
    const double margin = std::max(kMargin * (high - low), 1e-3 * high);
    figure_.y.range = Interval{std::max(0.0, low - margin), high + margin};
    if (figure_.y.range->low > 0) figure_.caption += " The axis does not begin at 0.";
    for (std::size_t i = 0; i < is_total_.size(); ++i)
      if (is_total_[i]) figure_.series[0].points[i].base = figure_.y.range->low;
    return std::move(figure_);
  }

 private:
  /// One bar, in the series of its colour; the others have nothing there.
  void add(const std::string& name, double base, double end, std::size_t series) {
    const double x = static_cast<double>(figure_.x.names.size());
    figure_.x.names.push_back(name);
    for (std::size_t i = 0; i < figure_.series.size(); ++i)
      figure_.series[i].points.push_back({.x = x, .y = i == series ? end : base, .base = base});
  }

  Figure figure_;
  std::vector<bool> is_total_;
  double top_ = 0;
};

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

Figure ledger_figure(const Group& group, const Ledger& ledger, const std::string& name) {
  Waterfall waterfall(
      {.id = "ledger",
       .title = "From the predicted to the measured walltime",
       .caption = fmt::format("{}, target {}, temperature {}: mean of a generation, {} prompts. "
                              "Measured values replace predicted ones one after the other; the "
                              "remainder is not explained. Lines: 95 % intervals over prompts.",
                              name, group.axes.model, short_number(group.axes.temperature),
                              group.summary.n_prompts),
       .kind = FigureKind::waterfall,
       .y = {.label = "walltime of a generation, ms"},
       .series = {{.name = "walltime", .colour = 0},
                  {.name = "longer than predicted", .colour = 2},
                  {.name = "shorter than predicted", .colour = 1}}});
  waterfall.add_total("predicted", ledger.predicted_ns / kNsPerMs);
  for (const Cause cause : kCauses)
    if (ledger.is_known(cause))
      waterfall.add_step(words_of(cause), scaled(ledger.at(cause), 1 / kNsPerMs));
  waterfall.add_total("measured", ledger.measured_ns / kNsPerMs);
  return waterfall.finished();
}

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
