#include "analysis/plots/kind_figures.h"

#include <gtest/gtest.h>

#include <array>

#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

TrainingCurve curve(const std::string& name, std::size_t drafted) {
  TrainingCurve curve{
      .name = name, .points = {}, .origins = {{.revision = "abc", .machine = "a machine"}}};
  for (const double tokens : {1000.0, 2000.0})
    curve.points.push_back(
        {tokens, 5000 / tokens, std::vector<HeldOutPoint>(drafted, {4000 / tokens, 0.5, 0.25})});
  return curve;
}

std::vector<std::string> names_of(const Figure& figure) {
  std::vector<std::string> names;
  for (const Series& series : figure.series) names.push_back(series.name);
  return names;
}

TEST(TrainingFigures, OfOneTrainingHaveALineADraftedToken) {
  const std::vector<Figure> figures = training_figures({curve("mlp", 2)});
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_EQ(names_of(figures[0]),
            (std::vector<std::string>{"held-out text, drafted token 1",
                                      "held-out text, drafted token 2", "training text"}));
  EXPECT_EQ(names_of(figures[1]).size(), 2u);
  EXPECT_EQ(figures[0].series[2].points[1].x, 2.0) << "thousands";
  EXPECT_EQ(figures[0].series[2].points[1].y, 2.5) << "the training text's loss";
  EXPECT_EQ(figures[2].series[0].points[0].y, 1 + 0.5 + 0.25);
}

TEST(TrainingFigures, HaveIntervalsOverWhatWasHeldOut) {
  TrainingCurve noted = curve("noted", 1);
  for (TrainingPoint& point : noted.points)
    point.clusters = 48, point.held_out[0].acceptance_error = 0.02;
  const Figure figure = training_figures({noted, curve("old", 1)})[1];
  ASSERT_TRUE(figure.series[0].points[0].interval);
  EXPECT_NEAR(figure.series[0].points[0].interval->high, 0.5 + 2.0117 * 0.02, 1e-5)
      << "Student's t of 47 degrees";
  EXPECT_FALSE(figure.series[1].points[0].interval);
  EXPECT_NE(figure.caption.find("Student's t over 48 prompts"), std::string::npos)
      << figure.caption;
  EXPECT_NE(figure.caption.find("No interval was noted by old."), std::string::npos)
      << figure.caption;
  EXPECT_EQ(training_figures({curve("old", 1)})[1].caption.find("Bars"), std::string::npos);
}

TEST(TrainingFigures, OfRoundsHaveIntervalsThatHoldWhenAllDraftsErrTogether) {
  TrainingCurve noted = curve("noted", 3);
  for (TrainingPoint& point : noted.points) {
    point.clusters = 48;
    for (std::size_t i = 0; i < 3; ++i)
      point.held_out[i].acceptance = std::array{0.6, 0.3, 0.2}[i],
      point.held_out[i].acceptance_error = std::array{0.02, 0.05, 0.01}[i];
  }
  const Figure figure = training_figures({noted})[2];
  const Point point = figure.series[0].points[0];
  ASSERT_TRUE(point.interval);
  const double error = (1 + 0.3 * (1 + 0.2)) * 0.02 + 0.6 * (1 + 0.2) * 0.05 +
                       0.6 * 0.3 * 0.01;  // of 1 + a (1 + b (1 + c)), in a, b and c
  EXPECT_NEAR(point.interval->high - point.y, 2.0117 * error, 1e-5);
  EXPECT_NE(figure.caption.find("Bars: at least 95 %"), std::string::npos) << figure.caption;
}

TEST(TrainingFigures, TellWhoTrainedWhat) {
  EXPECT_NE(training_figures({curve("a", 1), curve("b", 1)})[0].caption.find(
                "Trained by revision abc on a machine."),
            std::string::npos);
  TrainingCurve other = curve("other", 1);
  other.origins.push_back({.revision = "def", .machine = "a machine"});
  const std::string caption = training_figures({curve("a", 1), other})[0].caption;
  EXPECT_NE(caption.find("Trained: a by revision abc on a machine; other by revision abc on a "
                         "machine, then revision def on a machine."),
            std::string::npos)
      << caption;
}

TEST(TrainingFigures, TellASinglePromptFromOneThatWasNotNoted) {
  TrainingCurve one = curve("one", 1);
  for (TrainingPoint& point : one.points) point.clusters = 1;
  const std::string caption = training_figures({one})[1].caption;
  EXPECT_NE(caption.find("A single prompt or stretch has none."), std::string::npos) << caption;
  EXPECT_EQ(caption.find("No interval was noted"), std::string::npos) << caption;
}

TEST(TrainingFigures, OfSeveralHaveALineEach) {
  const std::vector<Figure> figures = training_figures({curve("a", 1), curve("b", 3)});
  for (const std::size_t i : {0u, 1u})
    EXPECT_EQ(names_of(figures[i]), (std::vector<std::string>{"a", "b"})) << figures[i].id;
  EXPECT_EQ(figures.back().id, "training_tokens_per_round");
  EXPECT_EQ(names_of(figures.back()), std::vector<std::string>{"b, 3 drafts"})
      << "one drafted token does not tell what a round would emit";
}

TEST(TrainingFigures, OfStagesGoOnFromEachOther) {
  const TrainingCurve joined = joined_stages({curve("text", 2), curve("own", 2)});
  const std::vector<Figure> figures = training_figures({joined});
  EXPECT_EQ(names_of(figures[0]).size(), 3u) << "a line a drafted token, and the training text";
  std::vector<double> thousands;
  for (const auto& point : figures[0].series[1].points) thousands.push_back(point.x);
  EXPECT_EQ(thousands, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_NE(
      figures[0].caption.find("Stages: text to 2 thousand tokens, then own to 4 thousand tokens"),
      std::string::npos)
      << figures[0].caption;
  EXPECT_THROW(joined_stages({curve("text", 2), curve("own", 3)}), ConfigError);
}

TEST(TrainingFigures, WithoutFurtherTokensTellNothingOfRounds) {
  EXPECT_EQ(training_figures({curve("a", 1)}).size(), 2u);
}

}  // namespace
}  // namespace speclab::analysis
