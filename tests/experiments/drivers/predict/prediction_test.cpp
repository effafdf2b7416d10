#include "experiments/drivers/predict/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/tables/manifest.h"
#include "analysis/tables/table.h"
#include "experiments/drivers/predict/prediction_output.h"
#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/predict/predict_files.h"

namespace speclab::experiments {
namespace {

TEST(Prediction, IsTheoremThreeEightWithScalarCosts) {
  for (const double rate : {0.0, 0.3, 0.8, 0.95, 1.0})
    for (const double cost : {0.0, 0.02, 0.3, 1.0, 5.0}) {
      PredictOptions options = ratios(std::to_string(rate), std::to_string(cost));
      options.max_length = 40;
      const Prediction prediction = predict(options);
      EXPECT_EQ(prediction.optimum.at.speculation_length,
                sim::optimal_speculation_length(rate, cost, 40));
      ASSERT_EQ(prediction.lengths.size(), 41U);
      for (const PredictedLength& at : prediction.lengths) {
        EXPECT_DOUBLE_EQ(at.predicted_speedup.value,
                         sim::predicted_speedup(rate, at.speculation_length, cost));
        EXPECT_DOUBLE_EQ(at.tokens_per_round.value,
                         sim::tokens_per_round(rate, at.speculation_length));
        EXPECT_LE(at.predicted_speedup.value,
                  prediction.optimum.at.predicted_speedup.value * (1 + 1e-12))
            << "rounding of two quotients";
      }
    }
}

TEST(Prediction, KnowsTheWorkedValues) {
  PredictOptions options = ratios("0.8", "0.05");
  options.verify_cost_ratio = "1.1";
  options.overhead_ratio = "0.02";
  options.speculation_length = 5;
  options.target_bytes = "15e9";
  options.draft_bytes = "2.47e9";
  const Prediction prediction = predict(options);
  EXPECT_NEAR(prediction.chosen->predicted_speedup.value, 2.69290510948905, 1e-13);
  EXPECT_NEAR(prediction.chosen->operations_factor, 1.62633359354671, 1e-13);
  EXPECT_NEAR(prediction.chosen->target_reads_per_token, 0.271055598924451, 1e-14);
  EXPECT_NEAR(*prediction.chosen->bytes_per_token, 7413370630.58375, 1e-4);
  EXPECT_NEAR(*prediction.chosen->accepted_fraction, 0.537856, 1e-14);
}

TEST(Prediction, DraftsNothingWhereNothingPays) {
  const Prediction prediction = predict(ratios("0.1", "0.2"));
  EXPECT_EQ(prediction.optimum.at.speculation_length, 0);
  EXPECT_EQ(prediction.optimum.at.predicted_speedup.value, 1.0);
  EXPECT_EQ(prediction.optimum.at.tokens_per_round.value, 1.0);
}

/// Plain decoding makes no verification and has no round's overhead.
TEST(Prediction, ComparesWithPlainDecodingWhateverARoundCosts) {
  PredictOptions options = ratios("0.5", "0.1");
  options.verify_cost_ratio = "3";
  EXPECT_EQ(predict(options).optimum.at.speculation_length, 0);
  EXPECT_EQ(predict(options).lengths[0].predicted_speedup.value, 1.0);
}

TEST(Prediction, SaysWhereTheSearchEnds) {
  PredictOptions options = ratios("0.8", "0");
  options.max_length = 16;
  EXPECT_EQ(predict(options).optimum.at.speculation_length, 16);
  EXPECT_TRUE(predict(options).optimum.is_at_longest);
  EXPECT_FALSE(predict(ratios("0.8", "0.05")).optimum.is_at_longest);
}

/// Every point of a fine grid within the intervals gives an optimum and a speed-up within theirs.
TEST(Prediction, IntervalsHoldAllThatTheInputsAllow) {
  PredictOptions options = ratios("0.75:0.6:0.9", "0.05:0.02:0.1");
  options.verify_cost_ratio = "1.1:1.0:1.3";
  options.max_length = 40;
  const Prediction prediction = predict(options);
  int lowest = 1000, highest = 0;
  for (int i = 0; i <= 20; ++i)
    for (int j = 0; j <= 20; ++j)
      for (int k = 0; k <= 6; ++k) {
        const double rate = 0.6 + 0.3 * i / 20;
        const sim::RelativeCosts costs{.cost_ratio = 0.02 + 0.08 * j / 20,
                                       .verify_cost_ratio = 1.0 + 0.3 * k / 6};
        int best = 0;
        double most = 1.0;
        for (const PredictedLength& at : prediction.lengths) {
          if (at.speculation_length == 0) continue;
          const double here = sim::predicted_speedup(rate, at.speculation_length, costs);
          EXPECT_GE(here, at.predicted_speedup.low() * (1 - 1e-12));
          EXPECT_LE(here, at.predicted_speedup.high() * (1 + 1e-12));
          if (here > most) best = at.speculation_length, most = here;
        }
        lowest = std::min(lowest, best);
        highest = std::max(highest, best);
      }
  EXPECT_EQ(*prediction.optimum.lowest, lowest);
  EXPECT_EQ(*prediction.optimum.highest, highest);
}

TEST(Prediction, TakesTheShorterOfLengthsThatRoundingTellsApart) {
  PredictOptions options = ratios("0.3", "0.15");
  options.overhead_ratio = "0.15";  // 1.3 / 1.3
  EXPECT_EQ(predict(options).optimum.at.speculation_length, 0);
  options = ratios("0.5", "0.05");
  options.verify_cost_ratio = "1.2",
  options.overhead_ratio = "0.15";  // 1.875 / 1.5 and 1.9375 / 1.55
  EXPECT_EQ(predict(options).optimum.at.speculation_length, 3);
}

TEST(Prediction, ShowsTheChosenLengthWhereverItIs) {
  PredictOptions options = ratios("0.8", "0.05");
  options.speculation_length = 100;
  const analysis::Table csv = analysis::Table::parse(prediction_csv(predict(options)), "csv");
  const std::size_t last = csv.size() - 1;
  EXPECT_EQ(csv.integer(last, "speculation_length"), 100);
  EXPECT_EQ(csv.integer(last, "is_chosen"), 1);
  EXPECT_EQ(csv.integer(last, "is_optimum"), 0);
  EXPECT_EQ(csv.integer(8, "is_optimum"), 1);
  EXPECT_EQ(csv.integer(8, "is_trace_optimum"), 0);
}

TEST(Prediction, SaysWhereTheBestLengthMayLieBeyondTheSearch) {
  const Prediction open = predict(ratios("0.9:0.5:1", "0.05")),
                   closed = predict(ratios("0.8:0.7:0.9", "0.05"));
  EXPECT_TRUE(open.optimum.is_highest_at_longest);
  EXPECT_FALSE(open.optimum.is_at_longest);
  EXPECT_NE(prediction_text(open).find(", 256 or more]: "), std::string::npos)
      << prediction_text(open);
  EXPECT_FALSE(closed.optimum.is_highest_at_longest);
}

TEST(Prediction, IsOneTableInThreeForms) {
  PredictOptions options = ratios("0.8:0.7:0.9", "0.05");
  const Prediction prediction = predict(options);
  const analysis::Table csv = analysis::Table::parse(prediction_csv(prediction), "csv");
  const auto json = nlohmann::json::parse(prediction_json(prediction));
  ASSERT_EQ(csv.size(), prediction.lengths.size());
  ASSERT_EQ(json.at("lengths").size(), csv.size());
  for (std::size_t row = 0; row < csv.size(); ++row) {
    EXPECT_EQ(csv.number(row, "predicted_speedup"),
              json.at("lengths")[row].at("predicted_speedup"));
    EXPECT_EQ(csv.number(row, "tokens_per_round_low"),
              json.at("lengths")[row].at("tokens_per_round_low"));
  }
  EXPECT_EQ(json.at("optimum").at("optimal_speculation_length"), 8);
  EXPECT_EQ(json.at("optimum").at("predicted_speedup"),
            prediction.optimum.at.predicted_speedup.value);
  EXPECT_EQ(json.at("optimum").at("tokens_per_round"),
            prediction.optimum.at.tokens_per_round.value);
  const std::string text = prediction_text(prediction);
  EXPECT_NE(text.find("optimum  8 ["), std::string::npos) << text;
  for (const std::string& all : {text, prediction_csv(prediction), prediction_json(prediction)})
    EXPECT_EQ(all.find("nan"), std::string::npos);
  EXPECT_TRUE(prediction_figure(prediction).series[1].points.empty()) << "no plot was asked for";
  options.plot = "x.png", options.speculation_length = 20;
  EXPECT_EQ(prediction_figure(predict(options)).series[1].points.size(), 21u)
      << "no gap before the chosen length";
}

TEST(Prediction, ItsFigureTellsWhereWhatWasMeasuredIsFrom) {
  const std::string run = SPECLAB_SOURCE_DIR "/tests/golden/runs/quickstart";
  PredictOptions options{
      .trace = run + "/rounds.csv", .costs = run + "/costs.csv", .plot = "x.png"};
  const std::string known = prediction_figure(predict(options)).caption;
  const std::string by = " is by revision " +
                         analysis::read_manifest(run + "/manifest.toml").provenance("revision") +
                         " on AMD EPYC.";
  for (const char* table : {"rounds.csv", "costs.csv"})
    EXPECT_NE(known.find(table + by), std::string::npos) << known;
  options = {.acceptance_rate = "0.8",
             .costs = file_with("bare_costs.csv", small_costs()),
             .plot = "x.png"};
  const std::string bare = prediction_figure(predict(options)).caption;
  EXPECT_NE(bare.find("The origin of bare_costs.csv is not recorded."), std::string::npos) << bare;
  options = {.target_law = file_with("p_law", "0.5 0.5\n"),
             .draft_law = file_with("q_law", "0.4 0.6\n"),
             .cost_ratio = "0.1",
             .plot = "x.png"};
  EXPECT_NE(prediction_figure(predict(options))
                .caption.find(
                    "The origin of p_law is not recorded. The origin of q_law is not recorded."),
            std::string::npos);
  options = ratios("0.8", "0.1"), options.plot = "x.png";
  EXPECT_EQ(prediction_figure(predict(options)).caption.find("origin"), std::string::npos)
      << "typed by the user";
}

void expect_config_error(const PredictOptions& options, const std::string& message) try {
  predict(options);
  ADD_FAILURE() << message;
} catch (const ConfigError& error) {
  EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
}

TEST(Prediction, RefusesOptionsThatSayNothingOrTooMuch) {
  for (const char* rate :
       {"1.2", "-0.1", "nan", "inf", "", "0.8x", "0.8:0.9", "0.8:0.9:0.95", "0.8:0.7:1.1"})
    expect_config_error(ratios(rate, "0.1"), "--acceptance-rate");
  for (const char* cost : {"-1", "nan", "x", "0.1:0.2:0.3"})
    expect_config_error(ratios("0.8", cost), "--cost-ratio");
  expect_config_error({.cost_ratio = "0.1"}, "no acceptance; give");
  expect_config_error({.acceptance_rate = "0.8"}, "no cost of drafting; give --cost-ratio");
  expect_config_error({.acceptance_rate = "0.8", .trace = "x", .cost_ratio = "0.1"},
                      "contradict each other");
  expect_config_error({.acceptance_rate = "0.8", .cost_ratio = "0.1", .costs = "x"},
                      "--costs contradicts --cost-ratio");
  expect_config_error({.target_law = "p", .cost_ratio = "0.1"}, "belong together");
  expect_config_error(
      {.acceptance_rate = "0.8", .cost_ratio = "0.1", .choice = {.drafter = "bigram"}},
      "choose among");
  expect_config_error({.acceptance_rate = "0.8", .cost_ratio = "0.1", .context = 3}, "--context");
  expect_config_error({.acceptance_rate = "0.8", .cost_ratio = "0.1", .target_bytes = "3"},
                      "belong together");
  expect_config_error({.acceptance_rate = "0.8", .cost_ratio = "0.1", .max_length = 0},
                      "--max-length 0; allowed: integers from 1");
  expect_config_error({.acceptance_rate = "0.8", .cost_ratio = "0.1", .speculation_length = -1},
                      "--speculation-length -1; allowed: integers from 0");
  expect_config_error({.acceptance_rate = "0.8", .cost_ratio = "0.1", .tree_budget = 8},
                      "need acceptance by rank");
  expect_config_error({.cost_ratio = "0.1", .tree_budget = 0, .rank_acceptance = "0.7"},
                      "--tree-budget 0; allowed");
  expect_config_error({.acceptance_rate = "0.8", .cost_ratio = "0.1", .rank_acceptance = "0.7,0.1"},
                      "make them equal");
  expect_config_error({.cost_ratio = "0.1", .rank_acceptance = "0.7,0.4"}, "sums to");
}

}  // namespace
}  // namespace speclab::experiments
