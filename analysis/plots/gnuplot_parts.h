#pragma once
// What gnuplot programs of all kinds of figures are put together from.

#include <string>
#include <vector>

#include "analysis/plots/figure.h"

namespace speclab::analysis {

/// A gnuplot string expression. Single quotes take everything but themselves and line ends
/// literally, back-quotes too.
std::string quoted(const std::string& text);
std::string wrapped(const std::string& text, std::size_t width);

const char* colour(const Series& series);
int mark(const Series& series, Mark fill);

/// A named block of "x y low high"; a point without an interval gets one of no length.
std::string data_block(const std::string& name, const std::vector<Point>& points);

/// Shifts the marks of neighbouring lines apart, so that their bars do not hide each other.
double dodge(const Figure& figure, std::size_t index);
/// The points of one kind of mark, moved along x.
std::vector<Point> shifted(std::vector<Point> points, double offset, Mark mark);
/// Of stacked bars: by part, where it ends.
std::vector<std::vector<Point>> tops_of_parts(const Figure& figure);

/// Where the plot stands on the page; lengths in inches and characters.
struct Frame {
  double height;
  double left_margin, bottom_margin;
  std::string x_label, y_label;
};
/// Terminal, title, labels and caption. @param frame  height and bottom margin without the caption
std::string script_head(const Figure& figure, const std::string& pdf_path, const Frame& frame);

}  // namespace speclab::analysis
