#include "analysis/plots/figures.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "analysis/plots/gnuplot_script.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
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
    return timeline_figure(
        {.run = run, .pooled = pooled_groups(run, baseline, bootstrap), .by_category = {}},
        read_timeline(scratch_.file("timeline.csv"), run));
  }

  /// Of the generation that is drawn: the first prompt's at the lowest temperature.
  double rounds_of(const std::string& drafter) const {
    const analysis::Run run = read_run(scratch_.path());
    const auto is_drawn = [&](const Generation& g) {
      return g.axes.drafter == drafter && g.axes.temperature == 0 &&
             g.prompt_id == "extraction_01" && g.repetition == 0;
    };
    return static_cast<double>(std::ranges::find_if(run.generations, is_drawn)->rounds);
  }

  testing::ScratchFolder scratch_;
};

TEST_F(TimelineFigure, HasARowForEveryDrafterWhoseSpansFollowOneAnother) {
  const auto drawn = figure();
  ASSERT_TRUE(drawn);
  const std::vector<double> rounds{64, rounds_of("bigram"), rounds_of("prompt_lookup"),
                                   rounds_of("small_transformer")};
  EXPECT_EQ(drawn->x.names,
            (std::vector<std::string>{"plain decoding: 64 steps",
                                      fmt::format("bigram: {} rounds", rounds[1]),
                                      fmt::format("prompt lookup: {} rounds", rounds[2]),
                                      fmt::format("small transformer: {} rounds", rounds[3])}));
  ASSERT_EQ(drawn->series.size(), 3U);
  for (double row = 0; row < 4; ++row) {
    std::vector<std::pair<double, double>> spans;
    for (const Series& series : drawn->series)
      for (const Point& point : series.points)
        if (point.x == row) spans.emplace_back(point.base, point.y);
    std::ranges::sort(spans);
    EXPECT_EQ(spans.front().first, 0.0);
    for (std::size_t i = 1; i < spans.size(); ++i)
      EXPECT_DOUBLE_EQ(spans[i].first, spans[i - 1].second);
    const double draft_ms = row == 3 ? 4.0 : row == 2 ? 0.01 : row == 1 ? 0.02 : 0.0;
    EXPECT_NEAR(spans.back().second, rounds[static_cast<std::size_t>(row)] * (9.15 + draft_ms),
                1e-9);
  }
}

TEST_F(TimelineFigure, IsDrawnInRows) {
  EXPECT_NE(gnuplot_script(*figure(), "out.pdf").find("boxxyerror"), std::string::npos);
}

TEST_F(TimelineFigure, IsNotThereWithoutItsFile) {
  std::filesystem::remove(scratch_.file("timeline.csv"));
  EXPECT_FALSE(figure());
}

TEST_F(TimelineFigure, RefusesRoundsThatCannotBe) {
  const analysis::Run run = read_run(scratch_.path());
  const std::string head =
      "row_id,round,drafted,accepted,emitted,draft_ns,target_ns,verify_ns,other_ns\n";
  const std::pair<const char*, const char*> mistakes[] = {
      {"1,1,4,2,3,1,1,1,1\n", "column 'round'"},
      {"1,0,4,5,3,1,1,1,1\n", "column 'accepted'"},
      {"1,0,4,2,4,1,1,1,1\n", "column 'emitted'"},
      {"1,0,4,2,0,1,1,1,1\n", "column 'emitted'"},
      {"1,0,4,2,3,-1,1,1,1\n", "column 'draft_ns'"},
      {"2,0,4,2,3,1,1,1,1\n1,0,4,2,3,1,1,1,1\n", "column 'row_id'"},
      {"1,0,4,2,3,1,1,1,1\n1,2,4,2,3,1,1,1,1\n", "column 'round'"},
      {"999999,0,4,2,3,1,1,1,1\n", "not in rows.csv"},
      {"1,0,4,2,3,1,1,1,1\n", "do not add up"}};
  for (const auto& [lines, part] : mistakes) {
    write_file(scratch_.file("timeline.csv"), head + lines);
    try {
      read_timeline(scratch_.file("timeline.csv"), run);
      ADD_FAILURE() << lines << " was read";
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace speclab::analysis
