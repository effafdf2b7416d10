#pragma once
// Figures as gnuplot programs, and the parts that these are put together from.

#include <string>
#include <vector>

#include "analysis/plots/figure.h"

namespace speclab::analysis {

/// The gnuplot program that draws `figure` into a PDF file.
std::string gnuplot_script(const Figure& figure, const std::string& pdf_path);

/// The gnuplot program of a figure whose places have long names, drawn in rows: names on the left,
/// values to the right.
std::string script_in_rows(const Figure& figure, const std::string& pdf_path);

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
