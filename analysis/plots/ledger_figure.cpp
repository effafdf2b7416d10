#include "analysis/plots/ledger_figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/plots/figure_series.h"
#include "analysis/plots/figure_text.h"
#include "analysis/plots/units.h"

namespace speclab::analysis {
namespace {

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
