#include "analysis/plots/gnuplot_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace speclab::analysis {
namespace {

/// The first place is on top.
std::string named_rows(const Figure& figure) {
  std::vector<std::string> ticks;
  for (std::size_t i = 0; i < figure.x.names.size(); ++i)
    ticks.push_back(fmt::format("{} {}", quoted(figure.x.names[i]), i));
  return fmt::format(
      "set ytics ({})\nset yrange [{}.6:-0.6]\nset xrange [0:*]\nset key tmargin center "
      "horizontal\nset grid xtics back lc rgb '#E2E2E2' lt 1 lw 0.7\n",
      fmt::join(ticks, ", "), figure.x.names.size() - 1);
}

/// A line across all rows.
void append_reference(const Figure& figure, std::string& blocks, std::vector<std::string>& plots) {
  if (!figure.reference) return;
  blocks += fmt::format("$reference << EOD\n{0} -0.6\n{0} {1}.6\nEOD\n", figure.reference->y,
                        figure.x.names.size() - 1);
  plots.push_back(fmt::format("$reference using 1:2 with lines lw 1.6 lc rgb '{}' title {}",
                              kPalette[0].light, quoted(figure.reference->name)));
}

void append_marks(const Figure& figure, std::size_t index, std::string& blocks,
                  std::vector<std::string>& plots) {
  const Series& series = figure.series[index];
  for (const Mark fill : {Mark::filled, Mark::hollow}) {
    const auto points = shifted(series.points, dodge(figure, index), fill);
    if (points.empty()) continue;
    const std::string name = fmt::format("{}{}", fill == Mark::filled ? "marks" : "hollow", index);
    blocks += data_block(name, points);
    plots.push_back(
        fmt::format("${} using 2:1:3:4 with xerrorbars pt {} ps 1 lw 1.4 lc rgb '{}' notitle", name,
                    mark(series, fill), colour(series)));
  }
  plots.push_back(fmt::format("NaN with points pt {} ps 1 lc rgb '{}' title {}",
                              mark(series, Mark::filled), colour(series), quoted(series.name)));
}

void append_bars(const Figure& figure, std::string& blocks, std::vector<std::string>& plots) {
  const auto tops = tops_of_parts(figure);
  for (std::size_t i = 0; i < tops.size(); ++i) {
    blocks += data_block(fmt::format("part{}", i), tops[i]);
    plots.insert(plots.begin(),
                 fmt::format("$part{} using ($2/2):1:(0):2:($1-0.3):($1+0.3) with boxxyerror fs "
                             "solid 1 border lc rgb 'white' fc rgb '{}' title {}",
                             i, colour(figure.series[i]), quoted(figure.series[i].name)));
  }
  blocks += data_block("totals", figure.totals);
  plots.push_back(
      "$totals using 2:1:3:4 with xerrorbars pt 7 ps 0 lw 1.6 lc rgb '#000000' notitle");
}

/// Bars between two times.
void append_spans(const Figure& figure, std::string& blocks, std::vector<std::string>& plots) {
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    blocks += fmt::format("$spans{} << EOD\n", i);
    for (const Point& p : figure.series[i].points)
      blocks += fmt::format("{} {} {}\n", p.x, p.base, p.y);
    blocks += "EOD\n";
    plots.push_back(
        fmt::format("$spans{} using (($2+$3)/2):1:2:3:($1-0.3):($1+0.3) with boxxyerror fs solid 1 "
                    "noborder fc rgb '{}' title {}",
                    i, colour(figure.series[i]), quoted(figure.series[i].name)));
  }
}

}  // namespace

std::string script_in_rows(const Figure& figure, const std::string& pdf_path) {
  const std::size_t longest =
      std::ranges::max_element(figure.x.names, {}, &std::string::size)->size();
  const Frame frame{.height = 1.3 + 0.2 * static_cast<double>(figure.x.names.size()),
                    .left_margin = 2.0 + 0.95 * static_cast<double>(longest),
                    .bottom_margin = 4.2,
                    .x_label = figure.y.label,
                    .y_label = ""};
  std::string blocks;
  std::vector<std::string> plots;
  append_reference(figure, blocks, plots);
  if (figure.kind == FigureKind::stacked_bars)
    append_bars(figure, blocks, plots);
  else if (figure.kind == FigureKind::timeline)
    append_spans(figure, blocks, plots);
  else
    for (std::size_t i = 0; i < figure.series.size(); ++i) append_marks(figure, i, blocks, plots);
  return script_head(figure, pdf_path, frame) + named_rows(figure) + blocks +
         fmt::format("plot {}\n", fmt::join(plots, ", \\\n  "));
}

}  // namespace speclab::analysis
