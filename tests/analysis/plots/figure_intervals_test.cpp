// The check of figures that tests/analysis/support/figure_intervals.h makes finds what it is there
// for.

#include "tests/analysis/support/figure_intervals.h"

namespace speclab::analysis {
namespace {

using testing::complaint;
using testing::Hollow;

Figure figure(const std::string& caption, const std::string& series, Point point) {
  return {.id = "id",
          .title = "title",
          .caption = caption,
          .series = {{.name = series,
                      .colour = 1,
                      .points = {{.x = 0, .y = 1, .interval = Interval{0, 2}}, point}}}};
}

constexpr Point kBare{.x = 1, .y = 1}, kBareHollow{.x = 1, .y = 1, .mark = Mark::hollow},
    kWhole{.x = 1, .y = 1, .interval = Interval{0, 2}};

TEST(FigureIntervals, AreMissed) {
  EXPECT_EQ(complaint(figure("8 prompts a point.", "bigram", kWhole), Hollow::measured), "");
  EXPECT_EQ(complaint(figure("8 prompts a point.", "bigram", kBare), Hollow::measured),
            "points of 'bigram' without an interval");
  EXPECT_EQ(complaint(figure("A caption.", "bigram", kWhole), Hollow::measured),
            "the caption counts nothing");
  EXPECT_NE(complaint(figure("8 prompts a point.", "lossy", kBareHollow), Hollow::measured), "");
  EXPECT_EQ(complaint(figure("8 prompts a point.", "theirs", kBareHollow), Hollow::of_a_paper), "");
}

TEST(FigureIntervals, AreAccountedForBySeries) {
  EXPECT_EQ(
      complaint(figure("8 prompts. Triangles: predicted, without intervals.", "predicted", kBare),
                Hollow::measured),
      "");
  EXPECT_NE(
      complaint(figure("8 prompts. Triangles: predicted, without intervals.", "measured", kBare),
                Hollow::measured),
      "");
  EXPECT_EQ(complaint(figure("No interval was noted by old, older. Trained by us.", "old", kBare),
                      Hollow::measured),
            "");
  EXPECT_NE(complaint(figure("No interval was noted by old. Trained by new.", "new", kBare),
                      Hollow::measured),
            "");
}

TEST(FigureIntervals, OfBarsStandAtTheirEnds) {
  Figure bars = figure("8 prompts a bar.", "draft", kBare);
  bars.kind = FigureKind::stacked_bars;
  EXPECT_NE(complaint(bars, Hollow::measured), "") << "no ends";
  bars.totals = {kWhole};
  EXPECT_EQ(complaint(bars, Hollow::measured), "");
  bars.totals.push_back(kBare);
  EXPECT_NE(complaint(bars, Hollow::measured), "");
}

}  // namespace
}  // namespace speclab::analysis
