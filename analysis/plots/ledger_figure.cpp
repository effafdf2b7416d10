#include "analysis/plots/ledger_figure.h"

#include <algorithm>

#include <fmt/format.h>

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

}  // namespace speclab::analysis
