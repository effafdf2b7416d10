#include "analysis/plots/timeline_figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "analysis/plots/gnuplot_script.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"
#include "tests/analysis/support/synthetic_run.h"

namespace speclab::analysis {
namespace {

class TimelineFigure : public ::testing::Test {
 protected:
  void SetUp() override { testing::write_synthetic_run({}, scratch_.path()); }

  std::optional<Figure> figure() const {
    const analysis::Run run = read_run(scratch_.path());
    const Baseline baseline(run);
    Bootstrap bootstrap(1);
    return timeline_figure({.run = run, .pooled = pooled_groups(run, baseline, bootstrap), .by_category = {}}, read_timeline(scratch_.file("timeline.csv")));
  }

  testing::ScratchFolder scratch_;
};

TEST_F(TimelineFigure, HasARowForEveryDrafterWhoseSpansFollowOneAnother) {
  const auto drawn = figure();
  ASSERT_TRUE(drawn);
  EXPECT_EQ(drawn->x.names, (std::vector<std::string>{"plain decoding: 64 steps", "bigram: 13 rounds", "prompt lookup: 13 rounds", "small transformer: 13 rounds"}));
  ASSERT_EQ(drawn->series.size(), 3U);
  for (double row = 0; row < 4; ++row) {
    std::vector<std::pair<double, double>> spans;
    for (const Series& series : drawn->series)
      for (const Point& point : series.points)
        if (point.x == row) spans.emplace_back(point.base, point.y);
    std::ranges::sort(spans);
    EXPECT_EQ(spans.front().first, 0.0);
    for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_DOUBLE_EQ(spans[i].first, spans[i - 1].second);
    const double draft_ms = row == 3 ? 4.0 : row == 2 ? 0.01 : row == 1 ? 0.02 : 0.0;
    EXPECT_NEAR(spans.back().second, row == 0 ? 64 * 9.15 : 13 * (9.15 + draft_ms), 1e-9);
  }
}

TEST_F(TimelineFigure, IsDrawnInRows) { EXPECT_NE(gnuplot_script(*figure(), "out.pdf").find("boxxyerror"), std::string::npos); }

TEST_F(TimelineFigure, IsNotThereWithoutItsFile) {
  std::filesystem::remove(scratch_.file("timeline.csv"));
  EXPECT_FALSE(figure());
}

TEST_F(TimelineFigure, RefusesRoundsThatCannotBe) {
  const std::string head = "row_id,round,drafted,accepted,emitted,draft_ns,target_ns,verify_ns,other_ns\n";
  for (const char* lines : {"1,1,4,2,3,1,1,1,1\n", "1,0,4,5,3,1,1,1,1\n", "1,0,4,2,4,1,1,1,1\n", "1,0,4,2,0,1,1,1,1\n", "1,0,4,2,3,-1,1,1,1\n", "2,0,4,2,3,1,1,1,1\n1,0,4,2,3,1,1,1,1\n",
                            "1,0,4,2,3,1,1,1,1\n1,2,4,2,3,1,1,1,1\n"}) {
    write_file(scratch_.file("timeline.csv"), head + lines);
    EXPECT_THROW(read_timeline(scratch_.file("timeline.csv")), DataError) << lines;
  }
}

}  // namespace
}  // namespace speclab::analysis
