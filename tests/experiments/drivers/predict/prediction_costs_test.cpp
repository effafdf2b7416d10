#include "experiments/drivers/predict/prediction.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/tables/table.h"
#include "experiments/drivers/predict/prediction_output.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/predict/predict_files.h"
#include "tests/support/surface_speedup.h"

namespace speclab::experiments {
namespace {

void expect_data_error(const std::string& costs, const std::string& message) try {
  predict({.acceptance_rate = "0.8", .costs = file_with("bad_costs.csv", costs)});
  ADD_FAILURE() << message;
} catch (const DataError& error) {
  EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
}

TEST(PredictionFromCosts, FromMeasuredCostsIsThatOfTheSurface) {
  PredictOptions options{.acceptance_rate = "0.8", .costs = file_with("costs.csv", small_costs())};
  const Prediction prediction = predict(options);
  ASSERT_EQ(prediction.lengths.size(), 5U) << "drafts of up to 4 tokens were timed";
  const double rounds_ns[] = {1000, 50 + 1000 + 30, 100 + 1020 + 30, 150 + 1040 + 30,
                              200 + 1060 + 30};
  for (int length = 1; length <= 4; ++length)
    EXPECT_NEAR(prediction.lengths[static_cast<std::size_t>(length)].predicted_speedup.value,
                sim::tokens_per_round(0.8, length) * 1000 / rounds_ns[length], 1e-12)
        << length;
  EXPECT_EQ(prediction.optimum.at.speculation_length, 4);
  EXPECT_TRUE(prediction.optimum.is_at_longest);
  options.max_length = 5;
  EXPECT_THROW(predict(options), ConfigError) << "beyond what was timed nothing is extrapolated";
}

/// Costs of several sequences at once are none of one.
TEST(PredictionFromCosts, TakesCostsOfOneSequenceOnlyAndSaysWhichWereLeftOut) {
  std::string batched = small_costs();
  for (std::size_t at = batched.find('\n'); (at = batched.find(",1,", at)) != std::string::npos;
       ++at)
    if (std::ranges::count(
            batched.substr(batched.rfind('\n', at) + 1, at - batched.rfind('\n', at) - 1), ',') ==
        7)
      batched.replace(at, 3, ",8,");
  const std::string eight = batched.substr(batched.find('\n') + 1);
  const Prediction both =
      predict({.acceptance_rate = "0.8", .costs = file_with("both.csv", small_costs() + eight)});
  EXPECT_EQ(both.optimum.at.predicted_speedup.value,
            predict({.acceptance_rate = "0.8", .costs = file_with("one.csv", small_costs())})
                .optimum.at.predicted_speedup.value);
  EXPECT_EQ(both.notes[0], "costs of batch 8 are left out: one sequence is predicted");
  expect_data_error(batched, "column 'batch': 8; allowed: 1");
}

TEST(PredictionFromCosts, KeepsTheRulesOfVerificationApart) {
  const std::string run = SPECLAB_SOURCE_DIR "/tests/golden/runs/verification_rules/";
  PredictOptions options{.trace = run + "rounds.csv",
                         .costs = run + "costs.csv",
                         .choice = {.drafter = "small_transformer", .verifier = "rejection"}};
  const Prediction rejection = predict(options);
  options.choice.verifier = "sample_and_match";
  const Prediction match = predict(options);
  EXPECT_GT(rejection.acceptance_rate.value, 2 * match.acceptance_rate.value)
      << "a sample is met less often than a ratio is passed";
  options.choice.verifier = "no_such_rule";
  EXPECT_THROW(predict(options), ConfigError);
}

/// Costs whose every point has an interval of 10 % either side.
std::string costs_with_intervals() {
  std::string costs = kCostHeader;
  const analysis::Table table = analysis::Table::parse(small_costs(), "costs");
  for (std::size_t row = 0; row < table.size(); ++row) {
    for (const char* column :
         {"model", "drafter", "tree", "verifier", "regime", "kind", "rows", "context", "batch"})
      costs += table.optional_text(row, column).value_or("") + ",";
    const double ns = table.number(row, "ns");
    costs += std::to_string(ns) + "," + std::to_string(0.9 * ns) + "," + std::to_string(1.1 * ns) +
             ",9\n";
  }
  return costs;
}

/// A round's costs and the plain step's may each be off by themselves: all such points are within.
TEST(PredictionFromCosts, IntervalsOfMeasuredCostsHoldAPlainStepThatIsOffByItself) {
  const Prediction prediction = predict(
      {.acceptance_rate = "0.8", .costs = file_with("intervals.csv", costs_with_intervals())});
  for (const PredictedLength& at : prediction.lengths) {
    if (at.speculation_length == 0) continue;
    EXPECT_NEAR(at.predicted_speedup.low(), at.predicted_speedup.value * 0.9 / 1.1, 1e-9);
    EXPECT_NEAR(at.predicted_speedup.high(), at.predicted_speedup.value * 1.1 / 0.9, 1e-9);
  }
  EXPECT_EQ(prediction.lengths[0].predicted_speedup.low(), 1.0);
}

TEST(PredictionFromCosts, TakesOnePairOfAFileAndSaysWhich) {
  PredictOptions options{.acceptance_rate = "0.7",
                         .costs = SPECLAB_SOURCE_DIR "/tests/golden/runs/quickstart/costs.csv"};
  const Prediction first = predict(options);
  EXPECT_NE(first.cost_source.find("smollm2-135m with bigram, rejection, greedy"),
            std::string::npos)
      << first.cost_source;
  EXPECT_NE(first.notes[0].find("--drafter"), std::string::npos);
  options.choice.drafter = "small_transformer";
  options.temperature = "1";
  options.context = 100;
  const Prediction chosen = predict(options);
  EXPECT_NE(chosen.cost_source.find("small_transformer, rejection, sampled, at context 100"),
            std::string::npos)
      << chosen.cost_source;
  EXPECT_GT(first.optimum.at.predicted_speedup.value, chosen.optimum.at.predicted_speedup.value)
      << "a bigram costs nearly nothing";
  EXPECT_TRUE(chosen.optimum.at.predicted_speedup.interval);
}

/// The plain step 1000 [950, 1050], rounds of one and two drafts as likely to be the faster: both
/// may be the best length.
TEST(PredictionFromCosts, OfMeasuredCostsHoldsEveryLengthThatMayBeTheBest) {
  const std::string row = "t,{},,{},,{},{},0,1,{},{},{},9\n";
  std::string costs = kCostHeader;
  for (const auto& [kind, rows, ns, low, high] : {std::tuple("target", 1, 1000, 950, 1050),
                                                  {"target", 2, 1000, 900, 1100},
                                                  {"target", 3, 1100, 1000, 1300}})
    costs += fmt::format(fmt::runtime(row), "", "", kind, rows, ns, low, high);
  costs += "t,,,,,overhead,1,0,1,0,0,0,9\n";
  for (const auto& [kind, rows, ns] :
       {std::tuple("draft", 1, 50), {"draft", 2, 100}, {"overhead", 1, 0}})
    costs += fmt::format(fmt::runtime(row), "d", "v", kind, rows, ns, ns, ns);
  const Prediction prediction =
      predict({.acceptance_rate = "0.6", .cost_ratio = {}, .costs = file_with("apart.csv", costs)});
  EXPECT_EQ(*prediction.optimum.lowest, 1) << prediction_text(prediction);
  EXPECT_EQ(*prediction.optimum.highest, 2);
}

/// Costs less the first line that holds `part`.
std::string costs_without(const std::string& part) {
  std::string costs = small_costs();
  const std::size_t at = costs.rfind('\n', costs.find(part));
  return costs.erase(at, costs.find('\n', at + 1) - at);
}

TEST(PredictionFromCosts, RefusesCostsWithAHole) {
  expect_data_error(kCostHeader, "no rows");
  expect_data_error(costs_without("target,3,10"), "no target forward of 3 rows at context 10");
  expect_data_error(costs_without("target,1,30"), "no target forward of 1 row at context 30");
  expect_data_error(costs_without(",greedy,overhead,1"), "overhead of plain decoding");
  expect_data_error(costs_without("greedy,overhead,2"), "overhead (with the drafter)");
  std::string no_draft = small_costs();
  for (std::size_t at; (at = no_draft.find("draft,")) != std::string::npos;)
    no_draft.replace(at, 6, "prefill,");
  expect_data_error(no_draft, "no cost of kind draft");
  std::string missing = small_costs();
  missing.replace(missing.find(",980,"), 5, ",,");
  expect_data_error(missing, "column 'ns': missing");
  std::string not_a_number = small_costs();
  not_a_number.replace(not_a_number.find(",980,"), 5, ",nan,");
  expect_data_error(not_a_number, "column 'ns': not a finite number");
  expect_data_error(small_costs() + "t,d,chain,rejection,greedy,draft,2,20,1,70,,,9\n",
                    "two costs of kind draft for 2 rows at context 20");
  EXPECT_THROW(predict({.acceptance_rate = "0.8", .costs = "/nowhere/costs.csv"}), DataError);
}

}  // namespace
}  // namespace speclab::experiments
