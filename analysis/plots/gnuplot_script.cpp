#include "analysis/plots/gnuplot_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <sstream>

namespace speclab::analysis {
namespace {

constexpr std::size_t kCaptionWidth = 128;  // characters a line at the caption's size
constexpr std::array kFilledMarks = {7, 5, 9, 13, 11, 15};
constexpr std::array kHollowMarks = {6, 4, 8, 12, 10, 14};

/// A gnuplot string expression. Single quotes take everything but themselves and line ends literally, back-quotes too.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\n') {
      out += "' . \"\\n\" . '";
    } else {
      out.append(c == '\'' ? 2 : 1, c);
    }
  }
  return out + "'";
}

std::string wrapped(const std::string& text, std::size_t width) {
  std::istringstream words(text);
  std::string out, line, word;
  while (words >> word) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return out + line;
}

const char* colour(const Series& series) { return kPalette[palette_index(series.colour)].light; }
int mark(const Series& series, Mark fill) {
  const auto& marks = fill == Mark::filled ? kFilledMarks : kHollowMarks;
  return marks[series.colour % marks.size()];
}

/// A named block of "x y low high"; a point without an interval gets one of no length.
std::string data_block(const std::string& name, const std::vector<Point>& points) {
  std::string block = fmt::format("${} << EOD\n", name);
  for (const auto& p : points) {
    const Interval interval = p.interval.value_or(Interval{p.y, p.y});
    block += fmt::format("{} {} {} {}\n", p.x, p.y, interval.low, interval.high);
  }
  return block + "EOD\n";
}

/// Shifts the marks of neighbouring lines apart, so that their bars do not hide each other.
double dodge(const Figure& figure, std::size_t index) {
  if (figure.x.scale == Scale::logarithmic) return 0;
  const double step = figure.kind == FigureKind::marks ? 0.13 : 0.0;
  return step * (static_cast<double>(index) - static_cast<double>(figure.series.size() - 1) / 2);
}

std::vector<Point> shifted(std::vector<Point> points, double offset, Mark mark) {
  std::erase_if(points, [&](const Point& p) { return p.mark != mark; });
  for (auto& p : points) p.x += offset;
  return points;
}

void append_marks(const Figure& figure, std::size_t index, Mark fill, std::string& blocks, std::vector<std::string>& plots) {
  const Series& series = figure.series[index];
  const auto points = shifted(series.points, dodge(figure, index), fill);
  if (points.empty()) return;
  const std::string name = fmt::format("{}{}", fill == Mark::filled ? "marks" : "hollow", index);
  blocks += data_block(name, points);
  plots.push_back(fmt::format("${} using 1:2:3:4 with yerrorbars pt {} ps 1 lw 1.4 lc rgb '{}' notitle", name, mark(series, fill), colour(series)));
}

void append_line(const Figure& figure, std::size_t index, std::string& blocks, std::vector<std::string>& plots) {
  const Series& series = figure.series[index];
  if (!series.prediction.empty()) {
    blocks += data_block(fmt::format("prediction{}", index), series.prediction);
    plots.push_back(fmt::format("$prediction{} using 1:2 with lines dt (8,5) lw 1.4 lc rgb '{}' notitle", index, colour(series)));
  }
  if (figure.kind == FigureKind::lines) {
    blocks += data_block(fmt::format("line{}", index), series.points);
    plots.push_back(fmt::format("$line{} using 1:2 with lines lw 2 lc rgb '{}' notitle", index, colour(series)));
  }
  append_marks(figure, index, Mark::filled, blocks, plots);
  append_marks(figure, index, Mark::hollow, blocks, plots);
  const char* style = figure.kind == FigureKind::lines ? "linespoints lw 2" : "points";
  plots.push_back(fmt::format("NaN with {} pt {} ps 1 lc rgb '{}' title {}", style, mark(series, Mark::filled), colour(series), quoted(series.name)));
}

std::string draw_lines(const Figure& figure) {
  std::string blocks;
  std::vector<std::string> plots;
  if (figure.reference) {
    plots.push_back(fmt::format("{} with lines lw 1.6 lc rgb '{}' title {}", figure.reference->y, kPalette[0].light, quoted(figure.reference->name)));
  }
  for (std::size_t i = 0; i < figure.series.size(); ++i) append_line(figure, i, blocks, plots);
  const auto predicted = [](const Series& series) { return !series.prediction.empty(); };
  if (std::ranges::any_of(figure.series, predicted)) plots.push_back(fmt::format("NaN with lines dt (8,5) lw 1.4 lc rgb '#4D4D4D' title '{}'", figure.dashed));
  return blocks + fmt::format("plot {}\n", fmt::join(plots, ", \\\n  "));
}

/// Bars from boxes drawn tallest first: each covers the lower part of the one before.
std::string draw_stacked_bars(const Figure& figure) {
  std::string blocks;
  std::vector<std::string> plots;
  std::vector<Point> tops = figure.series.front().points;
  for (auto& p : tops) p.y = 0;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    for (std::size_t bar = 0; bar < tops.size(); ++bar) tops[bar].y += figure.series[i].points[bar].y;
    blocks += data_block(fmt::format("part{}", i), tops);
    plots.insert(plots.begin(), fmt::format("$part{} using 1:2 with boxes fs solid 1 border lc rgb 'white' fc rgb '{}' title {}", i,
                                            colour(figure.series[i]), quoted(figure.series[i].name)));
  }
  blocks += data_block("totals", figure.totals);
  plots.push_back("$totals using 1:2:3:4 with yerrorbars pt 7 ps 0 lw 1.6 lc rgb '#000000' notitle");
  return blocks + fmt::format("set boxwidth 0.6\nplot {}\n", fmt::join(plots, ", \\\n  "));
}

bool has_slanted_names(const Figure& figure) { return figure.x.names.size() > 5; }

std::string named_ticks(const Figure& figure) {
  std::vector<std::string> ticks;
  for (std::size_t i = 0; i < figure.x.names.size(); ++i) {
    const std::string& name = figure.x.names[i];
    ticks.push_back(fmt::format("{} {}", quoted(has_slanted_names(figure) ? name : wrapped(name, 14)), i));
  }
  return fmt::format("set xtics {} ({})\nset xrange [-0.6:{}.6]\n", has_slanted_names(figure) ? "rotate by 30 right" : "", fmt::join(ticks, ", "),
                     figure.x.names.size() - 1);
}

/// Ticks where something was measured, and a margin on both sides, so that no mark sits on the frame.
std::string numeric_ticks(const Figure& figure) {
  std::set<double> values;
  for (const auto& series : figure.series) {
    for (const auto& p : series.points) values.insert(p.x);
  }
  const double low = *values.begin(), high = *values.rbegin();
  std::string script = values.size() <= 8 ? fmt::format("set xtics ({})\n", fmt::join(values, ", ")) : "";
  if (figure.x.scale == Scale::logarithmic) {
    return script + fmt::format("set logscale x\nunset mxtics\nset xrange [{}:{}]\nset format x '%.0s%c'\n", low / 1.5, high * 1.5);
  }
  const double margin = high > low ? 0.06 * (high - low) : 0.5;
  return script + fmt::format("set xrange [{}:{}]\n", low - margin, high + margin);
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
    for (const int step : {1, 2, 5}) ticks.push_back(fmt::format("{:.6g}", step * std::pow(10.0, exponent)));
  }
  return fmt::format("set logscale y\nset yrange [{}:{}]\nset ytics ({})\n", low / 1.4, high * 1.4, fmt::join(ticks, ", "));
}

std::string y_range(const Figure& figure) {
  return figure.y.scale == Scale::logarithmic ? logarithmic_y_range(figure) : "set yrange [0:*]\n";
}

}  // namespace

std::string gnuplot_script(const Figure& figure, const std::string& pdf_path) {
  const std::string caption = wrapped(figure.caption, kCaptionWidth);
  const auto caption_lines = std::ranges::count(caption, '\n') + 1;
  std::string script = fmt::format(
      "set terminal pdfcairo size 6.4in,{}in noenhanced font 'DejaVu Sans,8' fontscale 0.72 linewidth 0.8 pointscale 0.5\n"
      "set output {}\n"
      "set border 3 lc rgb '#666666'\nset tics nomirror out textcolor rgb '#333333'\nset grid ytics back lc rgb '#E2E2E2' lt 1 lw 0.7\n"
      "set key outside right top vertical Left reverse samplen 2.5 spacing 1.3\n"
      "set title {} font ',10' offset 0,-0.3\nset xlabel {}\nset ylabel {}\n"
      "set lmargin 10.5\nset errorbars 0.6\nset bmargin {}\nset label 1 {} at screen 0.015, screen {} left font ',6.5' textcolor rgb '#555555'\n",
      3.5 + 0.13 * static_cast<double>(caption_lines), quoted(pdf_path), quoted(figure.title), quoted(figure.x.label), quoted(figure.y.label),
      (has_slanted_names(figure) ? 8.0 : 4.8) + 1.1 * static_cast<double>(caption_lines), quoted(caption), 0.02 + 0.032 * static_cast<double>(caption_lines - 1));
  script += y_range(figure) + (figure.x.names.empty() ? numeric_ticks(figure) : named_ticks(figure));
  return script + (figure.kind == FigureKind::stacked_bars ? draw_stacked_bars(figure) : draw_lines(figure));
}

}  // namespace speclab::analysis
