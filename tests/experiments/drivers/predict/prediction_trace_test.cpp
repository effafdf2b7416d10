#include "experiments/drivers/predict/prediction.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/tables/table.h"
#include "experiments/drivers/predict/prediction_output.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/predict/predict_files.h"

namespace speclab::experiments {
namespace {

/// Eight generations of five rounds: two whose first draft is refused, two that keep both drafts,
/// one that drafts nothing.
std::string trace_of_two_kinds() {
  std::string rows = "row_id,round,position,drafted,rows,depth,accepted,tested,emitted,next_kind\n";
  for (int generation = 0; generation < 8; ++generation)
    for (int round = 0; round < 5; ++round) {
      const char* const fates = round == 4       ? "0,1,0,0,0,1,bonus"
                                : round % 2 == 0 ? "2,3,2,0,1,1,recovered"
                                                 : "2,3,2,2,2,3,bonus";
      rows += fmt::format("{},{},{},{}\n", generation, round, 10 + 4 * round, fates);
    }
  return rows;
}

/// Two of three tests are passed, and one of two first ones.
TEST(PredictionFromTraces, SaysWhereOneRateDoesNotDescribeATraceAndWhatItLeavesOut) {
  const Prediction prediction =
      predict({.trace = file_with("two_kinds.csv", trace_of_two_kinds()), .cost_ratio = "0.05"});
  const std::string text = prediction_text(prediction);
  EXPECT_NEAR(prediction.acceptance_rate.value, 2.0 / 3, 1e-12);
  EXPECT_NE(text.find("8 further rounds draft nothing and are left out"), std::string::npos)
      << text;
  EXPECT_NE(text.find("one rate does not describe this trace: at length 1 it expects 1.6667 tokens "
                      "a round, the positions show 1.5000"),
            std::string::npos)
      << text;
}

TEST(PredictionFromTraces, OfATraceStandsBesideThatOfItsPositions) {
  PredictOptions options{.trace = SPECLAB_SOURCE_DIR "/tests/golden/runs/quickstart/rounds.csv",
                         .cost_ratio = "0.1",
                         .choice = {.drafter = "small_transformer"},
                         .temperature = "0"};
  const Prediction prediction = predict(options);
  EXPECT_GT(prediction.acceptance_rate.value, 0.0);
  EXPECT_LT(prediction.acceptance_rate.low(), prediction.acceptance_rate.value);
  EXPECT_GT(prediction.acceptance_rate.high(), prediction.acceptance_rate.value);
  ASSERT_TRUE(prediction.trace_optimum);
  EXPECT_EQ(prediction.lengths[0].trace_tokens_per_round->value, 1.0);
  EXPECT_FALSE(prediction.lengths.back().trace_tokens_per_round)
      << "no further than the trace reaches";
}

TEST(PredictionFromTraces, CarriesTheIntervalsOfATracesPositionsIntoEveryAnswer) {
  PredictOptions options{.trace = SPECLAB_SOURCE_DIR "/tests/golden/runs/quickstart/rounds.csv",
                         .cost_ratio = "0.1:0.08:0.12",
                         .choice = {.drafter = "small_transformer"},
                         .temperature = "0"};
  const Prediction prediction = predict(options);
  const PredictedLength& one = prediction.lengths[1];
  ASSERT_TRUE(one.trace_tokens_per_round->interval && one.trace_predicted_speedup->interval);
  EXPECT_LT(one.trace_tokens_per_round->low(), one.trace_tokens_per_round->value);
  EXPECT_NEAR(one.trace_predicted_speedup->low(), one.trace_tokens_per_round->low() / 1.12, 1e-12);
  EXPECT_NEAR(one.trace_predicted_speedup->high(), one.trace_tokens_per_round->high() / 1.08,
              1e-12);
  const auto json = nlohmann::json::parse(prediction_json(prediction));
  const analysis::Table csv = analysis::Table::parse(prediction_csv(prediction), "csv");
  for (const char* name : {"trace_tokens_per_round_low", "trace_predicted_speedup_high"})
    EXPECT_EQ(csv.number(1, name), json.at("lengths")[1].at(name).get<double>()) << name;
  EXPECT_FALSE(csv.optional_number(csv.size() - 1, "trace_tokens_per_round_low"));
  EXPECT_TRUE(json.at("trace_optimum").contains("trace_predicted_speedup_low"));
  options.plot = "x.png";
  EXPECT_EQ(prediction_figure(predict(options)).series[2].points.size(),
            1u + static_cast<std::size_t>(prediction.trace_optimum_reach));
  EXPECT_NE(
      prediction_text(prediction)
          .find(fmt::format("{:.4f} [{:.4f}, {:.4f}]", one.trace_tokens_per_round->value,
                            one.trace_tokens_per_round->low(), one.trace_tokens_per_round->high())),
      std::string::npos);
}

TEST(PredictionFromTraces, OfLawsIsThatOfTheirOverlap) {
  PredictOptions options{.target_law = file_with("p", "0.5 0.3 0.2\n"),
                         .draft_law = file_with("q", "0.2 0.3 0.5\n"),
                         .cost_ratio = "0.05"};
  const Prediction prediction = predict(options);
  EXPECT_NEAR(prediction.acceptance_rate.value, 0.7, 1e-15);
  EXPECT_FALSE(prediction.tree) << "none was asked for";
  options.tree_budget = 32;
  const std::optional<PredictedTree> tree = predict(options).tree;
  ASSERT_TRUE(tree);
  EXPECT_GT(tree->tokens_per_round, prediction.optimum.at.tokens_per_round.value);
}

/// Σ min(p, p) is 1 but for rounding.
TEST(PredictionFromTraces, OfALawDraftedByItselfAcceptsAll) {
  for (const char* law : {"0.2 0.4 0.3 0.1\n", "0.1 0.2 0.7\n", "0.15 0.35 0.3 0.2\n"}) {
    const std::string path = file_with("self", law);
    EXPECT_DOUBLE_EQ(
        predict({.target_law = path, .draft_law = path, .cost_ratio = "0.05", .tree_budget = 4})
            .acceptance_rate.value,
        1.0);
  }
}

}  // namespace
}  // namespace speclab::experiments
