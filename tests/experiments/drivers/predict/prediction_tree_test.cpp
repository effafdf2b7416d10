#include "experiments/drivers/predict/prediction.h"

#include <gtest/gtest.h>

#include "analysis/tables/acceptance.h"
#include "experiments/drivers/predict/prediction_output.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/predict/predict_files.h"

namespace speclab::experiments {
namespace {

/// By hand: the root with two children, tokens 1 + 0.7 + 0.11, one level.
TEST(PredictionOfTrees, OfATreeHasTheIntervalOfItsCosts) {
  PredictOptions options{.cost_ratio = "0.1:0.05:0.2",
                         .verify_cost_ratio = "1.1:1:1.3",
                         .tree_budget = 3,
                         .tree_levels = 2,
                         .rank_acceptance = "0.70,0.11"};
  const analysis::Estimate speedup = predict(options).tree->predicted_speedup;
  EXPECT_NEAR(speedup.value, 1.81 / 1.2, 1e-12);
  EXPECT_NEAR(speedup.low(), 1.81 / 1.5, 1e-12);
  EXPECT_NEAR(speedup.high(), 1.81 / 1.05, 1e-12);
  options.acceptance_rate = "0.7:0.1:0.9";
  EXPECT_FALSE(predict(options).tree->predicted_speedup.interval)
      << "that of the costs alone would be too narrow";
  options.acceptance_rate.reset(), options.cost_ratio = "0.1", options.verify_cost_ratio = "1.1";
  EXPECT_FALSE(predict(options).tree->predicted_speedup.interval);
}

TEST(PredictionOfTrees, HasTheBestTreeOfABudget) {
  PredictOptions options{.cost_ratio = "0",
                         .tree_budget = 8,
                         .tree_levels = 12,
                         .rank_acceptance = "0.70,0.11,0.04,0.03,0.01"};
  const Prediction prediction = predict(options);
  EXPECT_EQ(prediction.acceptance_rate.value, 0.7) << "of the first child";
  EXPECT_NEAR(prediction.tree->tokens_per_round, 3.168819, 1e-12);
  EXPECT_EQ(prediction.tree->nodes, 8);
  EXPECT_EQ(prediction.tree->parents.rfind("parents:0", 0), 0U);
}

TEST(PredictionOfTrees, HasNoTreeWhereNonePays) {
  const Prediction prediction =
      predict({.cost_ratio = "2", .tree_budget = 8, .rank_acceptance = "0.5,0.2"});
  EXPECT_EQ(prediction.tree->nodes, 1);
  EXPECT_EQ(prediction.tree->predicted_speedup.value, 1.0);
  EXPECT_NE(prediction_text(prediction).find("none pays"), std::string::npos);
}

TEST(PredictionOfTrees, OfATreeByMeasuredCostsStaysWithinThem) {
  PredictOptions options{.costs = file_with("costs.csv", small_costs()),
                         .rank_acceptance = "0.6,0.2"};
  const Prediction prediction = predict(options);
  EXPECT_LE(prediction.tree->nodes, 5) << "forwards of up to 5 rows were timed";
  EXPECT_GT(prediction.tree->predicted_speedup.value, prediction.optimum.at.predicted_speedup.value)
      << "a sibling costs a row, a level costs a draft";
  options.tree_budget = 6;
  EXPECT_THROW(predict(options), ConfigError);
}

constexpr const char* kObserved = SPECLAB_SOURCE_DIR "/tests/golden/runs/papers/own_text";

/// From the table of the frozen run, by hand: sums over its prompts at depth 1.
TEST(PredictionOfTrees, ReadsTheRanksOfARunThatObservedADrafter) {
  const PredictOptions options{.observed = kObserved,
                               .cost_ratio = "0.01",
                               .choice = {.drafter = "unigram"},
                               .temperature = "0",
                               .tree_budget = 4,
                               .tree_levels = 2};
  double reached = 0, in_top_1 = 0, in_top_3 = 0;
  const analysis::AcceptanceRun run = analysis::read_acceptance_run(kObserved);
  for (const analysis::AcceptanceRow& row : run.rows) {
    if (row.axes.drafter != "unigram" || row.axes.temperature != 0 || row.depth != 1) continue;
    reached += row.sums.reached, in_top_1 += row.sums.in_top[0], in_top_3 += row.sums.in_top[2];
  }
  const Prediction prediction = predict(options);
  EXPECT_NEAR(prediction.tree->tokens_per_round, 1.0 + in_top_3 / reached, 1e-9)
      << "three children of the root";
  EXPECT_GT(in_top_3, in_top_1);
  EXPECT_NE(prediction.acceptance_source.find("unigram at temperature 0"), std::string::npos)
      << prediction.acceptance_source;
}

/// Defect: a whole run of another kind is said to have been interrupted.
TEST(PredictionOfTrees, RefusesARunOfAnotherKindByItsKind) {
  const std::string decoding = SPECLAB_SOURCE_DIR "/tests/golden/runs/quickstart";
  try {
    predict({.observed = decoding, .cost_ratio = "0.01"});
    FAIL() << "taken";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("of the kind decoding; allowed: drafter_acceptance"),
              std::string::npos)
        << error.what();
  }
}

TEST(PredictionOfTrees, RefusesARunWhereSeveralDraftersAreLeft) {
  PredictOptions options{.observed = kObserved, .cost_ratio = "0.01"};
  EXPECT_THROW(predict(options), ConfigError);
  options.choice.drafter = "nobody";
  EXPECT_THROW(predict(options), ConfigError);
  options.choice.drafter = "unigram", options.temperature = "0", options.rank_acceptance = "0.5";
  EXPECT_THROW(predict(options), ConfigError);
  options.rank_acceptance.reset(), options.acceptance_rate = "0.5";
  EXPECT_THROW(predict(options), ConfigError);
}

}  // namespace
}  // namespace speclab::experiments
