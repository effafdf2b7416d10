#include "analysis/plots/gnuplot_script.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/plots/gnuplot.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

Figure small_figure() {
  Figure figure{
      .id = "small", .title = "Small", .caption = "c", .x = {.label = "x"}, .y = {.label = "y"}};
  figure.series.push_back({.name = "curve", .colour = 1});
  for (int i = 0; i < 5; ++i)
    figure.series[0].points.push_back({.x = i / 4.0, .y = 1.0 * i, .mark = Mark::none});
  return figure;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(GnuplotScript, GivesLinesOfOneColourOtherMarks) {
  for (std::size_t colour = 1; colour + kPaletteSize - 1 < 2 * kPaletteSize - 1; ++colour) {
    const std::size_t again = colour + kPaletteSize - 1;
    EXPECT_EQ(palette_index(again), palette_index(colour)) << colour;
    EXPECT_NE(mark_index(again) % 6, mark_index(colour) % 6) << colour;
  }
}

TEST(GnuplotScript, DrawsVerticesWithoutMarks) {
  Figure figure = small_figure();
  const std::string bare = gnuplot_script(figure, "f.pdf");
  EXPECT_TRUE(contains(bare, "$line0 using 1:2 with lines"));
  EXPECT_FALSE(contains(bare, "yerrorbars"));
  EXPECT_FALSE(contains(bare, "linespoints"));
  figure.series[0].points[2].mark = Mark::hollow;
  const std::string marked = gnuplot_script(figure, "f.pdf");
  EXPECT_TRUE(contains(marked, "$hollow0 using"));
  EXPECT_TRUE(contains(marked, "linespoints"));
}

TEST(GnuplotScript, TakesTheRangesOfAxes) {
  Figure figure = small_figure();
  figure.x.range = Interval{0.5, 0.9};
  figure.y.range = Interval{0, 25};
  const std::string script = gnuplot_script(figure, "f.pdf");
  EXPECT_TRUE(contains(script, "set xrange [0.5:0.9]"));
  EXPECT_TRUE(contains(script, "set yrange [0:25]"));
  EXPECT_FALSE(contains(script, "set logscale"));
  figure.x.scale = Scale::logarithmic;
  EXPECT_TRUE(contains(gnuplot_script(figure, "f.pdf"), "set logscale x"));
}

TEST(GnuplotScript, LabelsWhereWasMeasuredIfLabelsStandApart) {
  const auto script_at = [](const std::vector<double>& places, Scale scale) {
    Figure figure{.id = "ticks",
                  .title = {},
                  .caption = {},
                  .x = {.label = "x", .scale = scale},
                  .y = {.label = "y"},
                  .series = {{.name = "a"}}};
    for (const double x : places) figure.series.front().points.push_back({.x = x, .y = 1});
    return gnuplot_script(figure, "out.pdf");
  };
  EXPECT_NE(script_at({0, 0.5, 1}, Scale::linear).find("set xtics (0, 0.5, 1)\n"),
            std::string::npos);
  EXPECT_EQ(script_at({1.80717, 1.81179, 2.16322}, Scale::linear).find("set xtics"),
            std::string::npos)
      << "1.80717 and 1.81179 would overlap";
  EXPECT_NE(script_at({15e6, 135e6}, Scale::logarithmic).find("set format x '%.0s%c'\n"),
            std::string::npos);
  EXPECT_NE(script_at({134515008, 1777088000}, Scale::logarithmic)
                .find("set xtics ('135M' 134515008, '1.8B' 1777088000)\n"),
            std::string::npos)
      << "1.8 billion was labelled 2G";
  EXPECT_NE(script_at({0.357, 10.72}, Scale::logarithmic)
                .find("set xtics ('0.357' 0.357, '10.7' 10.72)\n"),
            std::string::npos)
      << script_at({0.357, 10.72}, Scale::logarithmic);
}

TEST(GnuplotScript, LeavesMarksOfNumericAxesWhereTheyBelong) {
  Figure figure = small_figure();
  figure.kind = FigureKind::marks;
  for (Point& point : figure.series[0].points) point.mark = Mark::filled;
  figure.series.push_back(figure.series[0]);
  EXPECT_TRUE(contains(gnuplot_script(figure, "f.pdf"), "$marks0 << EOD\n0 0 0 0\n0.25 1 1 1\n"));
}

TEST(DrawFile, RefusesOtherFormats) {
  for (const char* path : {"figure.gif", "figure", "", ".svg", "folder/.png"})
    EXPECT_THROW(expect_drawable(path), ConfigError) << path;
  for (const char* path : {"figure.svg", "a.b/c.pdf", "../f.png"})
    EXPECT_NO_THROW(expect_drawable(path)) << path;
}

TEST(DrawFile, WritesTheOneFileAndLeavesNothingElse) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "draw_file";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  draw_file(small_figure(), (folder / "figure.svg").string());
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_EQ(entry.path().filename(), "figure.svg");
    ++files;
  }
  EXPECT_EQ(files, 1);
  EXPECT_THROW(draw_file(small_figure(), (folder / "nowhere" / "figure.svg").string()), WriteError);
}

}  // namespace
}  // namespace speclab::analysis
