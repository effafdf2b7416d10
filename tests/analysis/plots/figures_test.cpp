#include "analysis/plots/figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "sim/core/files.h"
#include "analysis/plots/gnuplot.h"
#include "analysis/plots/gnuplot_script.h"
#include "analysis/plots/process.h"
#include "sim/core/errors.h"
#include "tests/analysis/support/synthetic_run.h"

namespace speclab::analysis {
namespace {

/// A synthetic run, read back and summarised.
struct Fixture {
  explicit Fixture(const testing::SyntheticRun& options) {
    testing::write_synthetic_run(options, scratch.path());
    run = read_run(scratch.path());
    const Baseline baseline(run);
    data.pooled = pooled_groups(run, baseline, bootstrap);
    data.by_category = groups_by_category(run, baseline, bootstrap);
  }
  testing::ScratchFolder scratch;
  Run run;
  Bootstrap bootstrap{1};
  FigureData data{.run = run, .pooled = {}, .by_category = {}};
};

Series series_named(const Figure& figure, const std::string& name) {
  const auto found = std::ranges::find(figure.series, name, &Series::name);
  if (found == figure.series.end()) throw std::runtime_error("no series " + name + " in " + figure.id);
  return *found;
}

TEST(Figures, HaveALineForEachDrafterAndAPointForEachTemperature) {
  Fixture fixture({});
  const Figure figure = walltime_vs_temperature(fixture.data);
  ASSERT_EQ(figure.series.size(), 4U);
  EXPECT_EQ(figure.series[0].name, "plain decoding");
  EXPECT_EQ(figure.series[0].colour, 0U);
  for (const auto& series : figure.series) {
    ASSERT_EQ(series.points.size(), 3U);
    EXPECT_EQ(series.prediction.size(), 3U);
    for (const auto& point : series.points) {
      ASSERT_TRUE(point.interval);
      EXPECT_LT(point.interval->low, point.y);
      EXPECT_GT(point.interval->high, point.y);
    }
  }
}

TEST(Figures, ShowThePlainWalltimeThatWasWrittenDown) {
  Fixture fixture({});
  const auto plain = series_named(walltime_vs_temperature(fixture.data), "plain decoding");
  const double expected_s = (9e7 + 64 * (testing::SyntheticRun::kStepNs + 1e5 + 5e4)) / 1e9;
  EXPECT_NEAR(plain.points[0].y, expected_s, 0.01 * expected_s);
}

TEST(Figures, SpeedupFallsWithTemperatureAndLeavesPlainDecodingToTheReferenceLine) {
  Fixture fixture({});
  const Figure figure = speedup_vs_temperature(fixture.data);
  ASSERT_TRUE(figure.reference);
  EXPECT_EQ(figure.reference->y, 1.0);
  EXPECT_EQ(figure.series.size(), 3U);
  const auto lookup = series_named(figure, "prompt lookup");
  EXPECT_GT(lookup.points[0].y, lookup.points[1].y);
  EXPECT_GT(lookup.points[1].y, lookup.points[2].y);
}

TEST(Figures, SurvivalFallsAndStartsAtTheAcceptanceRate) {
  Fixture fixture({});
  const auto lookup = series_named(acceptance_by_position_figure(fixture.data, fixture.bootstrap), "prompt lookup");
  ASSERT_EQ(lookup.points.size(), 4U);
  EXPECT_NEAR(lookup.points[0].y, 0.75, 0.08);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(lookup.points[i].y, std::pow(lookup.points[0].y, i + 1), 0.06);
}

TEST(Figures, TimeSplitAddsUpToTheRound) {
  Fixture fixture({});
  const Figure figure = time_split(fixture.data);
  ASSERT_EQ(figure.x.names.size(), 4U);
  for (std::size_t bar = 0; bar < 4; ++bar) {
    double sum = 0;
    for (const auto& part : figure.series) sum += part.points[bar].y;
    EXPECT_NEAR(sum, figure.totals[bar].y, 1e-9 * sum);
  }
}

TEST(Figures, MarkShapeModelsHollowAndSaySo) {
  Fixture fixture({.temperatures = {0.0}, .shape_models = {"tiny", "small", "large"}, .repetitions = 1});
  const Figure figure = walltime_vs_model_size(fixture.data);
  EXPECT_NE(figure.caption.find("shape models"), std::string::npos);
  for (const auto& series : figure.series) {
    ASSERT_EQ(series.points.size(), 4U);
    for (const auto& point : series.points) EXPECT_EQ(point.mark, point.x == 135e6 ? Mark::filled : Mark::hollow) << point.x;
  }
  EXPECT_EQ(figure.x.scale, Scale::logarithmic);
}

TEST(Figures, OfModelSizeAreMadeOnlyWhereThereAreSeveralModels) {
  const auto has_size = [](const std::vector<Figure>& figures) {
    return std::ranges::any_of(figures, [](const Figure& figure) { return figure.id == "walltime_vs_model_size"; });
  };
  Fixture one({.temperatures = {0.0}, .repetitions = 1});
  Fixture two({.temperatures = {0.0}, .shape_models = {"tiny"}, .repetitions = 1});
  EXPECT_FALSE(has_size(build_figures(one.data, one.bootstrap)));
  EXPECT_TRUE(has_size(build_figures(two.data, two.bootstrap)));
}

TEST(Figures, NameOnlyTheAxesThatVary) {
  Fixture fixture({.temperatures = {0.0}, .repetitions = 1});
  auto groups = fixture.data.pooled;
  groups.push_back(groups.back());
  groups.back().axes.policy = "auto";
  const auto lines = make_lines(groups);
  EXPECT_EQ(lines[3].name, "small transformer, constant:4");
  EXPECT_EQ(lines[4].name, "small transformer, auto");
  EXPECT_EQ(lines[0].name, "plain decoding");
}

TEST(StaticFigures, AreWrittenInThreeFormats) {
  Fixture fixture({.shape_models = {"tiny", "small", "large"}, .repetitions = 1});
  for (const auto& figure : build_figures(fixture.data, fixture.bootstrap)) {
    draw_static(figure, fixture.scratch.path());
    const std::string stem = fixture.scratch.file(figure.id);
    EXPECT_TRUE(read_file(stem + ".pdf").starts_with("%PDF"));
    EXPECT_TRUE(read_file(stem + ".png").starts_with("\x89PNG"));
    EXPECT_NE(read_file(stem + ".svg").find("<svg"), std::string::npos);
  }
}

TEST(StaticFigures, ReportWhatGnuplotObjectsTo) {
  Figure figure{.id = "x", .title = "t", .caption = "c", .x = {}, .y = {}, .series = {{.name = "a", .colour = 1, .points = {{.x = 0, .y = 1, .interval = {}}}, .prediction = {}}}, .reference = {}, .totals = {}};
  EXPECT_THROW(draw_static(figure, "/nonexistent/folder"), WriteError);
  EXPECT_THROW(run_process({"speclab-no-such-program"}, ""), WriteError);
}

TEST(GnuplotScript, TakesNamesLiterally) {
  Figure figure{.id = "x", .title = "it's `date`", .caption = "a\nb", .x = {}, .y = {}, .series = {{.name = "a", .colour = 1, .points = {{.x = 0, .y = 1, .interval = {}}}, .prediction = {}}}, .reference = {}, .totals = {}};
  EXPECT_NE(gnuplot_script(figure, "out.pdf").find("set title 'it''s `date`'"), std::string::npos);
}

}  // namespace
}  // namespace speclab::analysis
