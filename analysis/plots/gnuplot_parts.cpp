#include "analysis/plots/gnuplot_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace speclab::analysis {
namespace {

constexpr std::size_t kCaptionWidth = 128;  // characters a line at the caption's size
constexpr std::array kFilledMarks = {7, 5, 9, 13, 11, 15};
constexpr std::array kHollowMarks = {6, 4, 8, 12, 10, 14};

}  // namespace

std::string quoted(const std::string& text) {
  std::string out = "'";  // between these gnuplot runs no command and knows no escape, but cannot
                          // have two apostrophes in a row
  for (const char c : text) {
    if (c == '\n')
      out += "' . \"\\n\" . '";
    else if (c == '\'')
      out += "' . \"'\" . '";
    else
      out += c;
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
  return marks[mark_index(series.colour) % marks.size()];
}

std::string data_block(const std::string& name, const std::vector<Point>& points) {
  std::string block = fmt::format("${} << EOD\n", name);
  for (const auto& p : points) {
    const Interval interval = p.interval.value_or(Interval{p.y, p.y});
    block += fmt::format("{} {} {} {}\n", p.x, p.y, interval.low, interval.high);
  }
  return block + "EOD\n";
}

double dodge(const Figure& figure, std::size_t index) {
  if (figure.x.scale == Scale::logarithmic) return 0;
  if (figure.kind != FigureKind::marks || figure.x.names.empty()) return 0.0;
  constexpr double kStep = 0.13, kWidest = 0.8;  // of the distance between two names
  const double last = static_cast<double>(figure.series.size() - 1),
               step = last > 0 ? std::min(kStep, kWidest / last) : kStep;
  return step * (static_cast<double>(index) - last / 2);
}

std::vector<Point> shifted(std::vector<Point> points, double offset, Mark mark) {
  std::erase_if(points, [&](const Point& p) { return p.mark != mark; });
  for (auto& p : points) p.x += offset;
  return points;
}

std::vector<std::vector<Point>> tops_of_parts(const Figure& figure) {
  std::vector<Point> tops = figure.series.front().points;
  for (auto& p : tops) p.y = 0;
  std::vector<std::vector<Point>> parts;
  for (const Series& series : figure.series) {
    for (std::size_t bar = 0; bar < tops.size(); ++bar) tops[bar].y += series.points[bar].y;
    parts.push_back(tops);
  }
  return parts;
}

std::string script_head(const Figure& figure, const std::string& pdf_path, const Frame& frame) {
  const std::string caption = wrapped(figure.caption, kCaptionWidth);
  const auto caption_lines = static_cast<double>(std::ranges::count(caption, '\n') + 1);
  return fmt::format(
      "set terminal pdfcairo size 6.4in,{}in noenhanced font 'DejaVu Sans,8' fontscale 0.72 "
      "linewidth 0.8 pointscale 0.5\n"
      "set output {}\n"
      "set border 3 lc rgb '#666666'\nset tics nomirror out textcolor rgb '#333333'\n"
      "set key outside right top vertical Left reverse samplen 2.5 spacing 1.3\n"
      "set title {} font ',10' offset 0,-0.3\nset xlabel {}\nset ylabel {}\n"
      "set lmargin {}\nset errorbars 0.6\nset bmargin {}\nset label 1 {} at screen 0.015, screen "
      "{} left font ',6.5' textcolor rgb '#555555'\n",
      frame.height + 0.13 * caption_lines, quoted(pdf_path), quoted(figure.title),
      quoted(frame.x_label), quoted(frame.y_label), frame.left_margin,
      frame.bottom_margin + 1.1 * caption_lines, quoted(caption),
      0.02 + 0.032 * (caption_lines - 1));
}

}  // namespace speclab::analysis
