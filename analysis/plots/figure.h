#pragma once
// A figure as data: built by pure functions from summaries, drawn by gnuplot for print and by
// plotly.js in the report.

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/estimate.h"

namespace speclab::analysis {

enum class Scale : std::uint8_t { linear, logarithmic };

struct Axis {
  std::string label{};
  Scale scale = Scale::linear;
  std::vector<std::string> names{};  ///< of the positions 0, 1, ... if the axis is not numeric
  std::optional<Interval> range{};   ///< shown; around the data where not given, y from 0
};

enum class Mark : std::uint8_t { filled, hollow, none };  ///< none: a vertex of the line only

struct Point {
  double x = 0;
  double y = 0;
  std::optional<Interval> interval{};  ///< 95 %, of y
  Mark mark = Mark::filled;
  double base = 0;  ///< of the bars of waterfall and timeline: where it begins; it ends at y
};

/// A line with marks, or one part of every bar. Colour and mark shape follow from `colour`.
struct Series {
  std::string name{};
  std::size_t colour = 0;  ///< index into kPalette; 0 is plain decoding
  std::vector<Point> points{};
  std::vector<Point> prediction{};  ///< drawn dashed, without marks
};

struct ReferenceLine {
  double y = 0;
  std::string name;
  bool is_diagonal = false;  ///< the line y = x in place of a level; both axes then have a range
};

/// A waterfall has bars that hang between two heights; `totals` are their ends, with intervals. A
/// timeline has such bars in rows: of a point x is the row, and time goes from `base` to y.
enum class FigureKind : std::uint8_t { lines, marks, stacked_bars, waterfall, timeline };

struct Figure {
  std::string id{};  ///< file name without extension
  std::string title{};
  std::string caption{};  ///< what is shown, of how many, and what the bars are
  FigureKind kind = FigureKind::lines;
  Axis x{};
  Axis y{};
  std::vector<Series> series{};
  std::optional<ReferenceLine> reference{};
  std::vector<Point> totals{};        ///< of stacked bars: their sums with intervals
  std::string dashed = "prediction";  ///< what the dashed lines are
};

struct PaletteEntry {
  const char* light;  ///< on a white page
  const char* dark;   ///< on a dark page
};

/// Grey for plain decoding, then colours that the colour-blind can tell apart.
/// @source Okabe and Ito 2008, Color Universal Design; the dark variants are lightened by hand
inline constexpr PaletteEntry kPalette[] = {
    {"#4D4D4D", "#C4C7CC"}, {"#0072B2", "#4FB0EA"}, {"#D55E00", "#FF8F45"}, {"#009E73", "#2FD0A2"},
    {"#CC79A7", "#E79CC6"}, {"#E69F00", "#F5BE4B"}, {"#56B4E9", "#9AD6F8"}};
inline constexpr std::size_t kPaletteSize = std::size(kPalette);

/// Palette index of the i-th line; lines beyond the palette start again after the grey.
constexpr std::size_t palette_index(std::size_t colour) {
  return colour < kPaletteSize ? colour : 1 + (colour - 1) % (kPaletteSize - 1);
}

/// Of the marks, taken in turn; lines that share a colour have another one each.
constexpr std::size_t mark_index(std::size_t colour) { return colour + colour / kPaletteSize; }

inline constexpr double kNsPerMs = 1e6;

}  // namespace speclab::analysis
