#include "analysis/plots/figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "analysis/plots/figure_text.h"
#include "analysis/plots/gnuplot_script.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/analysis/support/summarised_run.h"

namespace speclab::analysis {
namespace {

using Fixture = testing::SummarisedRun;

Series series_named(const Figure& figure, const std::string& name) {
  const auto found = std::ranges::find(figure.series, name, &Series::name);
  if (found == figure.series.end())
    throw std::runtime_error("no series " + name + " in " + figure.id);
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

/// @param sizes  of the drafters, which the config names as of one kind
std::vector<Figure> figures_of_sizes(const std::vector<std::int64_t>& sizes) {
  const std::vector<testing::SyntheticDrafter> all{
      {"small", 0.3, 1e5}, {"middle", 0.5, 1e6}, {"large", 0.6, 6e6}};
  Fixture fixture(
      {.drafters = {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(sizes.size())}});
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    fixture.run.manifest.config.emplace_back("drafters." + all[i].name + ".kind",
                                             "small_transformer");
    std::erase_if(fixture.run.manifest.models,
                  [&](const ModelProvenance& model) { return model.name == all[i].name; });
    fixture.run.manifest.models.push_back(
        {.name = all[i].name, .role = ModelRole::drafter, .sha256 = "0", .parameters = sizes[i]});
  }
  return drafter_size_figures(fixture.data);
}

TEST(Figures, OverTheSizeOfDraftersAreDrawnOfThreeSizesOfOneKind) {
  const auto figures = figures_of_sizes({1000, 10'000, 100'000});
  ASSERT_EQ(figures.size(), 2U);
  for (const Figure& figure : figures) {
    ASSERT_EQ(figure.series.size(), 3U) << "a line a temperature";
    EXPECT_NE(figure.series[0].name.find("small transformer, T = 0"), std::string::npos)
        << figure.series[0].name;
    for (const Series& series : figure.series) {
      ASSERT_EQ(series.points.size(), 3U);
      EXPECT_EQ(series.points[0].x, 1000);
      EXPECT_EQ(series.points[2].x, 100'000);
      EXPECT_EQ(series.prediction.size(), 3U);
    }
  }
  EXPECT_LT(figures[1].series[0].points[0].y, figures[1].series[0].points[2].y)
      << "more parameters, more tokens a round";
  EXPECT_TRUE(figures_of_sizes({1000, 10'000}).empty());
  EXPECT_TRUE(figures_of_sizes({1000, 1000, 10'000}).empty());
}

TEST(Figures, SayByHowMuchALossyRuleChangesTheLaw) {
  Fixture fixture({.drafters = {{"bigram", 0.3, 2e4}, {"prompt_lookup", 0.75, 1e4, 0.04}}});
  for (const Figure& figure :
       {walltime_vs_temperature(fixture.data), speedup_vs_temperature(fixture.data)}) {
    const bool told = std::ranges::any_of(figure.series, [](const Series& series) {
      return series.name.find("(lossy, law off by 0.06 to 0.08)") != std::string::npos;
    });
    EXPECT_TRUE(told) << figure.id;
    EXPECT_TRUE(std::ranges::any_of(figure.series, [](const Series& series) {
      return series.name == "bigram, rejection";
    })) << figure.id;
  }
}

TEST(Figures, OfOneTemperatureHaveAPlaceALine) {
  Fixture fixture({.temperatures = {1.0},
                   .drafters = {{"bigram", 0.3, 2e4}, {"prompt_lookup", 0.75, 1e4, 0.04}}});
  const Figure figure = speedup_vs_temperature(fixture.data);
  EXPECT_EQ(figure.title, "Speed-up at temperature 1");
  EXPECT_EQ(figure.x.names,
            (std::vector<std::string>{"bigram, rejection",
                                      "prompt lookup, lenient (lossy, law off by 0.08)"}));
  const Series measured = series_named(figure, "measured"),
               predicted = series_named(figure, "predicted");
  ASSERT_EQ(measured.points.size(), 2U);
  EXPECT_EQ(predicted.points.size(), 2U);
  EXPECT_EQ(measured.points[0].mark, Mark::filled);
  EXPECT_EQ(measured.points[1].mark, Mark::hollow);
}

/// Plain decoding is predicted without the bias, so that every mark stands below or above the
/// diagonal by it.
TEST(Figures, SetMeasuredSpeedupsAgainstPredictedOnesFromTwelveCellsOn) {
  Fixture fixture({.temperatures = {0.0, 0.3, 0.6, 1.0}, .prediction_bias = 1.25}), fewer({});
  const Figure figure = prediction_figure(fixture.data).value();
  ASSERT_EQ(figure.series.size(), 3U);
  for (const Series& series : figure.series) {
    ASSERT_EQ(series.points.size(), 4U) << series.name;
    for (const Point& point : series.points)
      EXPECT_NEAR(point.y / point.x, 1.25, 0.1) << series.name;
  }
  EXPECT_TRUE(figure.reference.value().is_diagonal);
  EXPECT_NE(gnuplot_script(figure, "x.pdf").find("plot x with lines"), std::string::npos);
  EXPECT_NE(figure.caption.find("the 12 cells that draft"), std::string::npos) << figure.caption;
  EXPECT_FALSE(prediction_figure(fewer.data));
}

TEST(Figures, OfOneTemperatureSayWhatThePredictionIsMadeFrom) {
  Fixture paced({.temperatures = {0.0}, .repetitions = 1, .pace_ratio = 1.25});
  EXPECT_NE(
      walltime_vs_temperature(paced.data)
          .caption.find("Triangles: predicted from pilot prompts, at the pace of the machine while "
                        "measuring, without intervals, which are made for the speed-up."),
      std::string::npos);
  EXPECT_NE(speedup_vs_temperature(paced.data)
                .caption.find("Triangles: predicted from pilot prompts, with 95 % intervals of "
                              "what is measured, from pilots and timings."),
            std::string::npos);
}

TEST(Figures, OfOneTemperatureShowTheIntervalsThatPilotsBear) {
  Fixture fixture({.temperatures = {0.0}, .repetitions = 1});
  const auto is_bare = [](const Point& point) { return !point.interval; };
  EXPECT_EQ(std::ranges::count_if(
                series_named(speedup_vs_temperature(fixture.data), "predicted").points, is_bare),
            0);
  fixture.data.pooled.back().summary.prediction.speedup_interval.reset();
  const Figure some = speedup_vs_temperature(fixture.data);
  EXPECT_EQ(std::ranges::count_if(series_named(some, "predicted").points, is_bare), 1);
  EXPECT_NE(some.caption.find("1 of 3 without an interval, which their pilots do not bear."),
            std::string::npos)
      << some.caption;
  EXPECT_FALSE(
      series_named(walltime_vs_temperature(fixture.data), "predicted").points.front().interval)
      << "not of the speed-up";
}

/// Many long names would overlap below columns.
TEST(Figures, WithLongNamesAreDrawnInRows) {
  std::vector<testing::SyntheticDrafter> drafters;
  for (const char letter : {'a', 'b', 'c', 'd', 'e', 'f'})
    drafters.push_back({std::string("a_drafter_with_a_long_name_") + letter});
  Fixture fixture({.temperatures = {0.0}, .drafters = drafters, .repetitions = 1});
  for (const Figure& figure : {speedup_vs_temperature(fixture.data), time_split(fixture.data)}) {
    const std::string script = gnuplot_script(figure, "x.pdf");
    EXPECT_NE(script.find("set ytics ('"), std::string::npos) << figure.id;
    EXPECT_EQ(script.find("rotate"), std::string::npos) << figure.id;
  }
}

TEST(Figures, DashTheWalltimeAtThePaceOfTheMachine) {
  Fixture usual({}), paced({.pace_ratio = 1.25});
  const Figure figure = walltime_vs_temperature(paced.data);
  const Series dashed = series_named(figure, "plain decoding"),
               reference = series_named(walltime_vs_temperature(usual.data), "plain decoding");
  for (std::size_t i = 0; i < dashed.prediction.size(); ++i)
    EXPECT_NEAR(dashed.prediction[i].y, reference.prediction[i].y, 1e-4);
  EXPECT_NE(figure.caption.find("at the pace of the machine"), std::string::npos);
  EXPECT_EQ(speedup_vs_temperature(paced.data).caption.find("pace"), std::string::npos);
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
  const auto lookup =
      series_named(acceptance_by_position_figure(fixture.data, fixture.bootstrap), "prompt lookup");
  ASSERT_EQ(lookup.points.size(), 4U);
  EXPECT_NEAR(lookup.points[0].y, 0.75, 0.08);
  for (std::size_t i = 1; i < 4; ++i)
    EXPECT_NEAR(lookup.points[i].y, std::pow(lookup.points[0].y, i + 1), 0.06);
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
  Fixture fixture(
      {.temperatures = {0.0}, .shape_models = {"tiny", "small", "large"}, .repetitions = 1});
  const Figure figure = walltime_vs_model_size(fixture.data);
  EXPECT_NE(figure.caption.find("shape models"), std::string::npos);
  for (const auto& series : figure.series) {
    ASSERT_EQ(series.points.size(), 4U);
    for (const auto& point : series.points)
      EXPECT_EQ(point.mark, point.x == 135e6 ? Mark::filled : Mark::hollow) << point.x;
  }
  EXPECT_EQ(figure.x.scale, Scale::logarithmic);
}

/// Defect: the time of a widened model is shown as that of a model with its own acceptance.
TEST(Figures, SayWhoseAcceptanceAWidenedModelHas) {
  Fixture fixture({.temperatures = {0.0}, .shape_models = {"widened:a"}, .repetitions = 1});
  const Figure figure = walltime_vs_model_size(fixture.data);
  EXPECT_NE(figure.caption.find("larger models usually differ in acceptance"), std::string::npos);
  EXPECT_EQ(figure.caption.find("random weights"), std::string::npos);
  for (const auto& series : figure.series)
    for (const auto& point : series.points)
      EXPECT_EQ(point.mark, point.x == 135e6 ? Mark::filled : Mark::hollow) << point.x;
}

TEST(Figures, OfModelSizeAreMadeOnlyWhereThereAreSeveralModels) {
  const auto has_size = [](const std::vector<Figure>& figures) {
    return std::ranges::any_of(
        figures, [](const Figure& figure) { return figure.id == "walltime_vs_model_size"; });
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

TEST(DescribeIntervals, NamesTheMethodOfEveryNumberOfPrompts) {
  const auto sentence = [](std::vector<std::size_t> prompts) {
    std::vector<Group> groups(prompts.size());
    std::vector<const Group*> pointers;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      groups[i].summary.n_prompts = groups[i].summary.n_rows = prompts[i];
      pointers.push_back(&groups[i]);
    }
    return describe_intervals(pointers);
  };
  EXPECT_EQ(
      sentence({15, 15}),
      "n = 15 prompts a point, 1 generation each. Bars: 95 % intervals, bootstrap-t over prompts.");
  EXPECT_EQ(sentence({14}),
            "n = 14 prompts a point, 1 generation each. Bars: 95 % intervals, Student's t over "
            "fewer than 15 prompts.");
  EXPECT_NE(sentence({1, 2, 15})
                .find("bootstrap-t over prompts; Student's t over fewer than 15 prompts; none for "
                      "a single prompt."),
            std::string::npos);
}

TEST(GnuplotScript, TakesNamesLiterally) {
  Figure figure{.id = "x",
                .title = "it's `date`",
                .caption = "a\nb",
                .series = {{.name = "a", .colour = 1, .points = {{.x = 0, .y = 1}}}}};
  EXPECT_NE(gnuplot_script(figure, "out.pdf").find("set title 'it' . \"'\" . 's `date`'"),
            std::string::npos);
}

}  // namespace
}  // namespace speclab::analysis
