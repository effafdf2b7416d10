#include "analysis/plots/gnuplot_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "analysis/plots/figure_text.h"

namespace speclab::analysis {
namespace {

void append_marks(const Figure& figure, std::size_t index, Mark fill, std::string& blocks,
                  std::vector<std::string>& plots) {
  const Series& series = figure.series[index];
  const auto points = shifted(series.points, dodge(figure, index), fill);
  if (points.empty()) return;
  const std::string name = fmt::format("{}{}", fill == Mark::filled ? "marks" : "hollow", index);
  blocks += data_block(name, points);
  plots.push_back(
      fmt::format("${} using 1:2:3:4 with yerrorbars pt {} ps 1 lw 1.4 lc rgb '{}' notitle", name,
                  mark(series, fill), colour(series)));
}

void append_line(const Figure& figure, std::size_t index, std::string& blocks,
                 std::vector<std::string>& plots) {
  const Series& series = figure.series[index];
  if (!series.prediction.empty()) {
    blocks += data_block(fmt::format("prediction{}", index), series.prediction);
    plots.push_back(
        fmt::format("$prediction{} using 1:2 with lines dt (8,5) lw 1.4 lc rgb '{}' notitle", index,
                    colour(series)));
  }
  if (figure.kind == FigureKind::lines) {
    blocks += data_block(fmt::format("line{}", index), series.points);
    plots.push_back(fmt::format("$line{} using 1:2 with lines lw 2 lc rgb '{}' notitle", index,
                                colour(series)));
  }
  append_marks(figure, index, Mark::filled, blocks, plots);
  append_marks(figure, index, Mark::hollow, blocks, plots);
  const bool is_marked =
      std::ranges::any_of(series.points, [](const Point& p) { return p.mark != Mark::none; });
  const char* style = figure.kind == FigureKind::marks ? "points"
                      : is_marked                      ? "linespoints lw 2"
                                                       : "lines lw 2";
  const bool is_hollow = is_marked && std::ranges::none_of(series.points, [](const Point& p) {
                           return p.mark == Mark::filled;
                         });
  const std::string key =
      is_marked ? fmt::format(" pt {} ps 1", mark(series, is_hollow ? Mark::hollow : Mark::filled))
                : "";
  plots.push_back(fmt::format("NaN with {}{} lc rgb '{}' title {}", style, key, colour(series),
                              quoted(series.name)));
}

std::string draw_lines(const Figure& figure) {
  std::string blocks;
  std::vector<std::string> plots;
  if (figure.reference) {
    plots.push_back(
        fmt::format("{} with lines lw 1.6 lc rgb '{}' title {}",
                    figure.reference->is_diagonal ? "x" : fmt::format("{}", figure.reference->y),
                    kPalette[0].light, quoted(figure.reference->name)));
  }
  for (std::size_t i = 0; i < figure.series.size(); ++i) append_line(figure, i, blocks, plots);
  const auto predicted = [](const Series& series) { return !series.prediction.empty(); };
  if (std::ranges::any_of(figure.series, predicted))
    plots.push_back(
        fmt::format("NaN with lines dt (8,5) lw 1.4 lc rgb '#4D4D4D' title '{}'", figure.dashed));
  return blocks + fmt::format("plot {}\n", fmt::join(plots, ", \\\n  "));
}

/// Bars from boxes drawn tallest first: each covers the lower part of the one before.
std::string draw_stacked_bars(const Figure& figure) {
  std::string blocks;
  std::vector<std::string> plots;
  const auto tops = tops_of_parts(figure);
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    blocks += data_block(fmt::format("part{}", i), tops[i]);
    plots.insert(
        plots.begin(),
        fmt::format(
            "$part{} using 1:2 with boxes fs solid 1 border lc rgb 'white' fc rgb '{}' title {}", i,
            colour(figure.series[i]), quoted(figure.series[i].name)));
  }
  if (!figure.totals.empty()) blocks += data_block("totals", figure.totals);
  if (!figure.totals.empty())
    plots.push_back(
        "$totals using 1:2:3:4 with yerrorbars pt 7 ps 0 lw 1.6 lc rgb '#000000' notitle");
  return blocks + fmt::format("set boxwidth 0.6\nplot {}\n", fmt::join(plots, ", \\\n  "));
}

/// Bars that hang between two heights; those of no height are not drawn.
std::string draw_waterfall(const Figure& figure) {
  std::string blocks;
  std::vector<std::string> plots;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    blocks += fmt::format("$bars{} << EOD\n", i);
    for (const Point& p : figure.series[i].points)
      if (p.y != p.base) blocks += fmt::format("{} {} {}\n", p.x, p.base, p.y);
    blocks += "NaN NaN NaN\nEOD\n";
    plots.push_back(
        fmt::format("$bars{} using 1:(($2+$3)/2):($1-0.3):($1+0.3):2:3 with boxxyerror fs solid 1 "
                    "border lc rgb 'white' fc rgb '{}' title {}",
                    i, colour(figure.series[i]), quoted(figure.series[i].name)));
  }
  blocks += data_block("ends", figure.totals);
  plots.push_back("$ends using 1:2:3:4 with yerrorbars pt 7 ps 0 lw 1.6 lc rgb '#000000' notitle");
  return blocks + fmt::format("plot {}\n", fmt::join(plots, ", \\\n  "));
}

bool has_slanted_names(const Figure& figure) { return figure.x.names.size() > 5; }

/// Long names stand beside rows instead of below columns.
bool is_drawn_in_rows(const Figure& figure) {
  if (figure.kind == FigureKind::timeline) return true;
  return has_slanted_names(figure) &&
         std::ranges::any_of(figure.x.names,
                             [](const std::string& name) { return name.size() > 24; });
}

std::string named_ticks(const Figure& figure) {
  std::vector<std::string> ticks;
  for (std::size_t i = 0; i < figure.x.names.size(); ++i) {
    const std::string& name = figure.x.names[i];
    ticks.push_back(
        fmt::format("{} {}", quoted(has_slanted_names(figure) ? name : wrapped(name, 14)), i));
  }
  return fmt::format("set xtics {} ({})\nset xrange [-0.6:{}.6]\n",
                     has_slanted_names(figure) ? "rotate by 30 right" : "", fmt::join(ticks, ", "),
                     figure.x.names.size() - 1);
}

/// Whether labels at these values of a linear axis stand apart; a character takes some hundredth of
/// its width.
bool have_room(const std::set<double>& values) {
  constexpr double kCharacter = 0.012;
  const double width = *values.rbegin() - *values.begin();
  for (auto left = values.begin(), right = std::next(left); right != values.end(); ++left, ++right)
    if (*right - *left <
        kCharacter * width * 0.5 * static_cast<double>(fmt::formatted_size("{}{}", *left, *right)))
      return false;
  return true;
}

/// A number >= 1 with the letter of its thousands: "135M", "1.8B".
std::string magnitude(double value) {
  for (const auto& [unit, letter] : {std::pair{1e9, "B"}, {1e6, "M"}, {1e3, "K"}}) {
    const double units = value / unit;
    if (units >= 0.9995) return fmt::format("{:.{}g}{}", units, units < 9.95 ? 2 : 3, letter);
  }
  return short_number(value, 3);
}

/// Numbers >= 1 get the letter of their thousands; fractions do not.
std::string logarithmic_ticks(const std::set<double>& values, bool are_ticks) {
  const double low = *values.begin(), high = *values.rbegin();
  std::vector<std::string> ticks;
  for (const double value : values)
    ticks.push_back(
        fmt::format("'{}' {}", low < 1 ? short_number(value, 3) : magnitude(value), value));
  return fmt::format("{}set logscale x\nunset mxtics\nset xrange [{}:{}]\nset format x '{}'\n",
                     are_ticks ? fmt::format("set xtics ({})\n", fmt::join(ticks, ", ")) : "",
                     low / 1.5, high * 1.5, low < 1 ? "%g" : "%.0s%c");
}

/// Ticks where something was measured, if they are few and stand apart, and a margin on both sides,
/// so that no mark sits on the frame.
std::string numeric_ticks(const Figure& figure) {
  constexpr std::size_t kMostTicks = 8;
  if (const auto& range = figure.x.range)
    return fmt::format("{}set xrange [{}:{}]\n",
                       figure.x.scale == Scale::logarithmic ? "set logscale x\n" : "", range->low,
                       range->high);
  std::set<double> values;
  for (const auto& series : figure.series) {
    for (const auto& p : series.points) values.insert(p.x);
  }
  const double low = *values.begin(), high = *values.rbegin();
  if (figure.x.scale == Scale::logarithmic)
    return logarithmic_ticks(values, values.size() <= kMostTicks);
  const std::string ticks = values.size() <= kMostTicks && have_room(values)
                                ? fmt::format("set xtics ({})\n", fmt::join(values, ", "))
                                : "";
  const double margin = high > low ? 0.06 * (high - low) : 0.5;
  return ticks + fmt::format("set xrange [{}:{}]\n", low - margin, high + margin);
}

std::string logarithmic_y_range(const Figure& figure) {
  double low = figure.series.front().points.front().y, high = low;
  for (const auto& series : figure.series) {
    for (const auto& p : series.points) {
      const Interval interval = p.interval.value_or(Interval{p.y, p.y});
      low = std::min(low, interval.low);
      high = std::max(high, interval.high);
    }
  }
  std::vector<std::string> ticks;
  for (int exponent = -6; exponent < 6; ++exponent) {
    for (const int step : {1, 2, 5})
      ticks.push_back(fmt::format("{:.6g}", step * std::pow(10.0, exponent)));
  }
  return fmt::format("set logscale y\nset yrange [{}:{}]\nset ytics ({})\n", low / 1.4, high * 1.4,
                     fmt::join(ticks, ", "));
}

std::string y_range(const Figure& figure) {
  if (const auto& range = figure.y.range)
    return fmt::format("{}set yrange [{}:{}]\n",
                       figure.y.scale == Scale::logarithmic ? "set logscale y\n" : "", range->low,
                       range->high);
  return figure.y.scale == Scale::logarithmic ? logarithmic_y_range(figure) : "set yrange [0:*]\n";
}

/// Inches; a legend of one column must fit beside the plot, since a second one would take the
/// plot's width.
double height_of(const Figure& figure) {
  constexpr std::size_t kFitting = 13;
  const std::size_t entries = figure.series.size() + (figure.reference ? 1 : 0) + 1;
  return 3.5 + 0.17 * static_cast<double>(std::max(entries, kFitting) - kFitting);
}

}  // namespace

std::string gnuplot_script(const Figure& figure, const std::string& pdf_path) {
  if (is_drawn_in_rows(figure)) return script_in_rows(figure, pdf_path);
  std::string script = script_head(figure, pdf_path,
                                   {.height = height_of(figure),
                                    .left_margin = 10.5,
                                    .bottom_margin = has_slanted_names(figure) ? 8.0 : 4.8,
                                    .x_label = figure.x.label,
                                    .y_label = figure.y.label});
  script += "set grid ytics back lc rgb '#E2E2E2' lt 1 lw 0.7\n";
  script +=
      y_range(figure) + (figure.x.names.empty() ? numeric_ticks(figure) : named_ticks(figure));
  switch (figure.kind) {
    case FigureKind::stacked_bars:
      return script + draw_stacked_bars(figure);
    case FigureKind::waterfall:
      return script + draw_waterfall(figure);
    default:
      return script + draw_lines(figure);
  }
}

}  // namespace speclab::analysis
