#include "experiments/drivers/predict/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/io/table.h"
#include "experiments/drivers/predict/prediction_figure.h"
#include "experiments/drivers/predict/prediction_tables.h"
#include "experiments/drivers/predict/prediction_text.h"
#include "sim/analytic/speedup.h"
#include "sim/analytic/surface_speedup.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/core/errors.h"
#include "tests/experiments/drivers/predict/predict_files.h"

namespace speclab::experiments {
namespace {

PredictOptions ratios(const std::string& acceptance, const std::string& cost) { return {.acceptance_rate = acceptance, .cost_ratio = cost}; }

void expect_data_error(const std::string& costs, const std::string& message) try {
  predict({.acceptance_rate = "0.8", .costs = file_with("bad_costs.csv", costs)});
  ADD_FAILURE() << message;
} catch (const DataError& error) {
  EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
}

TEST(Prediction, IsTheoremThreeEightWithScalarCosts) {
  for (const double rate : {0.0, 0.3, 0.8, 0.95, 1.0})
    for (const double cost : {0.0, 0.02, 0.3, 1.0, 5.0}) {
      PredictOptions options = ratios(std::to_string(rate), std::to_string(cost));
      options.max_length = 40;
      const Prediction prediction = predict(options);
      EXPECT_EQ(prediction.optimum.at.speculation_length, sim::optimal_speculation_length(rate, cost, 40));
      ASSERT_EQ(prediction.lengths.size(), 41U);
      for (const PredictedLength& at : prediction.lengths) {
        EXPECT_DOUBLE_EQ(at.predicted_speedup.value, sim::predicted_speedup(rate, at.speculation_length, cost));
        EXPECT_DOUBLE_EQ(at.tokens_per_round.value, sim::tokens_per_round(rate, at.speculation_length));
        EXPECT_LE(at.predicted_speedup.value, prediction.optimum.at.predicted_speedup.value * (1 + 1e-12)) << "rounding of two quotients";
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
        const sim::RelativeCosts costs{.cost_ratio = 0.02 + 0.08 * j / 20, .verify_cost_ratio = 1.0 + 0.3 * k / 6};
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

TEST(Prediction, FromMeasuredCostsIsThatOfTheSurface) {
  PredictOptions options{.acceptance_rate = "0.8", .costs = file_with("costs.csv", small_costs())};
  const Prediction prediction = predict(options);
  ASSERT_EQ(prediction.lengths.size(), 5U) << "drafts of up to 4 tokens were timed";
  const double rounds_ns[] = {1000, 50 + 1000 + 30, 100 + 1020 + 30, 150 + 1040 + 30, 200 + 1060 + 30};
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
TEST(Prediction, TakesCostsOfOneSequenceOnlyAndSaysWhichWereLeftOut) {
  std::string batched = small_costs();
  for (std::size_t at = batched.find('\n'); (at = batched.find(",1,", at)) != std::string::npos; ++at)
    if (std::ranges::count(batched.substr(batched.rfind('\n', at) + 1, at - batched.rfind('\n', at) - 1), ',') == 7) batched.replace(at, 3, ",8,");
  const std::string eight = batched.substr(batched.find('\n') + 1);
  const Prediction both = predict({.acceptance_rate = "0.8", .costs = file_with("both.csv", small_costs() + eight)});
  EXPECT_EQ(both.optimum.at.predicted_speedup.value, predict({.acceptance_rate = "0.8", .costs = file_with("one.csv", small_costs())}).optimum.at.predicted_speedup.value);
  EXPECT_EQ(both.notes[0], "costs of batch 8 are left out: one sequence is predicted");
  expect_data_error(batched, "column 'batch': 8; allowed: 1");
}

TEST(Prediction, KeepsTheRulesOfVerificationApart) {
  const std::string run = SPECLAB_SOURCE_DIR "/results/reference/verification_rules_cpu/";
  PredictOptions options{.trace = run + "rounds.csv", .costs = run + "costs.csv", .drafter = "small_transformer", .verifier = "rejection"};
  const Prediction rejection = predict(options);
  options.verifier = "sample_and_match";
  const Prediction match = predict(options);
  EXPECT_GT(rejection.acceptance_rate.value, 2 * match.acceptance_rate.value) << "a sample is met less often than a ratio is passed";
  options.verifier = "no_such_rule";
  EXPECT_THROW(predict(options), ConfigError);
}

/// Costs whose every point has an interval of 10 % either side.
std::string costs_with_intervals() {
  std::string costs = kCostHeader;
  const analysis::Table table = analysis::Table::parse(small_costs(), "costs");
  for (std::size_t row = 0; row < table.size(); ++row) {
    for (const char* column : {"model", "drafter", "tree", "verifier", "regime", "kind", "rows", "context", "batch"})
      costs += table.optional_text(row, column).value_or("") + ",";
    const double ns = table.number(row, "ns");
    costs += std::to_string(ns) + "," + std::to_string(0.9 * ns) + "," + std::to_string(1.1 * ns) + ",9\n";
  }
  return costs;
}

/// A round's costs and the plain step's may each be off by themselves: all such points are within.
TEST(Prediction, IntervalsOfMeasuredCostsHoldAPlainStepThatIsOffByItself) {
  const Prediction prediction = predict({.acceptance_rate = "0.8", .costs = file_with("intervals.csv", costs_with_intervals())});
  for (const PredictedLength& at : prediction.lengths) {
    if (at.speculation_length == 0) continue;
    EXPECT_NEAR(at.predicted_speedup.low(), at.predicted_speedup.value * 0.9 / 1.1, 1e-9);
    EXPECT_NEAR(at.predicted_speedup.high(), at.predicted_speedup.value * 1.1 / 0.9, 1e-9);
  }
  EXPECT_EQ(prediction.lengths[0].predicted_speedup.low(), 1.0);
}

TEST(Prediction, TakesOnePairOfAFileAndSaysWhich) {
  PredictOptions options{.acceptance_rate = "0.7", .costs = SPECLAB_SOURCE_DIR "/results/reference/quickstart_cpu/costs.csv"};
  const Prediction first = predict(options);
  EXPECT_NE(first.cost_source.find("smollm2-135m with bigram, rejection, greedy"), std::string::npos) << first.cost_source;
  EXPECT_NE(first.notes[0].find("--drafter"), std::string::npos);
  options.drafter = "small_transformer";
  options.temperature = "1";
  options.context = 100;
  const Prediction chosen = predict(options);
  EXPECT_NE(chosen.cost_source.find("small_transformer, rejection, sampled, at context 100"), std::string::npos) << chosen.cost_source;
  EXPECT_GT(first.optimum.at.predicted_speedup.value, chosen.optimum.at.predicted_speedup.value) << "a bigram costs nearly nothing";
  EXPECT_TRUE(chosen.optimum.at.predicted_speedup.interval);
}

TEST(Prediction, SaysWhereOneRateDoesNotDescribeATraceAndWhatItLeavesOut) {
  const Prediction prediction = predict({.trace = SPECLAB_SOURCE_DIR "/results/reference/quickstart_cpu/rounds.csv", .cost_ratio = "0.05", .drafter = "prompt_lookup", .temperature = "0"});
  const std::string text = prediction_text(prediction);
  EXPECT_NE(text.find("134 further rounds draft nothing and are left out"), std::string::npos) << text;
  EXPECT_NE(text.find("one rate does not describe this trace: at length 1 it expects 1.7393"), std::string::npos) << text;
}

TEST(Prediction, OfATraceStandsBesideThatOfItsPositions) {
  PredictOptions options{.trace = SPECLAB_SOURCE_DIR "/results/reference/quickstart_cpu/rounds.csv",
                         .cost_ratio = "0.1",
                         .drafter = "small_transformer",
                         .temperature = "0"};
  const Prediction prediction = predict(options);
  EXPECT_GT(prediction.acceptance_rate.value, 0.0);
  EXPECT_LT(prediction.acceptance_rate.low(), prediction.acceptance_rate.value);
  EXPECT_GT(prediction.acceptance_rate.high(), prediction.acceptance_rate.value);
  ASSERT_TRUE(prediction.trace_optimum);
  EXPECT_EQ(prediction.lengths[0].trace_tokens_per_round->value, 1.0);
  EXPECT_FALSE(prediction.lengths.back().trace_tokens_per_round) << "no further than the trace reaches";
}

TEST(Prediction, CarriesTheIntervalsOfATracesPositionsIntoEveryAnswer) {
  PredictOptions options{.trace = SPECLAB_SOURCE_DIR "/results/reference/quickstart_cpu/rounds.csv",
                         .cost_ratio = "0.1:0.08:0.12",
                         .drafter = "small_transformer",
                         .temperature = "0"};
  const Prediction prediction = predict(options);
  const PredictedLength& one = prediction.lengths[1];
  ASSERT_TRUE(one.trace_tokens_per_round->interval && one.trace_predicted_speedup->interval);
  EXPECT_LT(one.trace_tokens_per_round->low(), one.trace_tokens_per_round->value);
  EXPECT_NEAR(one.trace_predicted_speedup->low(), one.trace_tokens_per_round->low() / 1.12, 1e-12);
  EXPECT_NEAR(one.trace_predicted_speedup->high(), one.trace_tokens_per_round->high() / 1.08, 1e-12);
  const auto json = nlohmann::json::parse(prediction_json(prediction));
  const analysis::Table csv = analysis::Table::parse(prediction_csv(prediction), "csv");
  for (const char* name : {"trace_tokens_per_round_low", "trace_predicted_speedup_high"})
    EXPECT_EQ(csv.number(1, name), json.at("lengths")[1].at(name).get<double>()) << name;
  EXPECT_FALSE(csv.optional_number(csv.size() - 1, "trace_tokens_per_round_low"));
  EXPECT_TRUE(json.at("trace_optimum").contains("trace_predicted_speedup_low"));
  options.plot = "x.png";
  EXPECT_EQ(prediction_figure(predict(options)).series[2].points.size(), 1u + static_cast<std::size_t>(prediction.trace_optimum_reach));
  EXPECT_NE(prediction_text(prediction).find(fmt::format("{:.4f} [{:.4f}, {:.4f}]", one.trace_tokens_per_round->value, one.trace_tokens_per_round->low(),
                                                         one.trace_tokens_per_round->high())), std::string::npos);
}

TEST(Prediction, OfLawsIsThatOfTheirOverlap) {
  PredictOptions options{.target_law = file_with("p", "0.5 0.3 0.2\n"), .draft_law = file_with("q", "0.2 0.3 0.5\n"), .cost_ratio = "0.05"};
  const Prediction prediction = predict(options);
  EXPECT_NEAR(prediction.acceptance_rate.value, 0.7, 1e-15);
  EXPECT_FALSE(prediction.tree) << "none was asked for";
  options.tree_budget = 32;
  const std::optional<PredictedTree> tree = predict(options).tree;
  ASSERT_TRUE(tree);
  EXPECT_GT(tree->tokens_per_round, prediction.optimum.at.tokens_per_round.value);
}

/// Σ min(p, p) is 1 but for rounding.
TEST(Prediction, OfALawDraftedByItselfAcceptsAll) {
  for (const char* law : {"0.2 0.4 0.3 0.1\n", "0.1 0.2 0.7\n", "0.15 0.35 0.3 0.2\n"}) {
    const std::string path = file_with("self", law);
    EXPECT_DOUBLE_EQ(predict({.target_law = path, .draft_law = path, .cost_ratio = "0.05", .tree_budget = 4}).acceptance_rate.value, 1.0);
  }
}

/// The plain step 1000 [950, 1050], rounds of one and two drafts as likely to be the faster: both may be the best length.
TEST(Prediction, OfMeasuredCostsHoldsEveryLengthThatMayBeTheBest) {
  const std::string row = "t,{},,{},,{},{},0,1,{},{},{},9\n";
  std::string costs = kCostHeader;
  for (const auto& [kind, rows, ns, low, high] : {std::tuple("target", 1, 1000, 950, 1050), {"target", 2, 1000, 900, 1100}, {"target", 3, 1100, 1000, 1300}})
    costs += fmt::format(fmt::runtime(row), "", "", kind, rows, ns, low, high);
  costs += "t,,,,,overhead,1,0,1,0,0,0,9\n";
  for (const auto& [kind, rows, ns] : {std::tuple("draft", 1, 50), {"draft", 2, 100}, {"overhead", 1, 0}}) costs += fmt::format(fmt::runtime(row), "d", "v", kind, rows, ns, ns, ns);
  const Prediction prediction = predict({.acceptance_rate = "0.6", .cost_ratio = {}, .costs = file_with("apart.csv", costs)});
  EXPECT_EQ(*prediction.optimum.lowest, 1) << prediction_text(prediction);
  EXPECT_EQ(*prediction.optimum.highest, 2);
}

TEST(Prediction, TakesTheShorterOfLengthsThatRoundingTellsApart) {
  PredictOptions options = ratios("0.3", "0.15");
  options.overhead_ratio = "0.15";  // 1.3 / 1.3
  EXPECT_EQ(predict(options).optimum.at.speculation_length, 0);
  options = ratios("0.5", "0.05");
  options.verify_cost_ratio = "1.2", options.overhead_ratio = "0.15";  // 1.875 / 1.5 and 1.9375 / 1.55
  EXPECT_EQ(predict(options).optimum.at.speculation_length, 3);
}

/// By hand: the root with two children, tokens 1 + 0.7 + 0.11, one level.
TEST(Prediction, OfATreeHasTheIntervalOfItsCosts) {
  PredictOptions options{.cost_ratio = "0.1:0.05:0.2", .verify_cost_ratio = "1.1:1:1.3", .tree_budget = 3, .tree_levels = 2, .rank_acceptance = "0.70,0.11"};
  const IntervalValue speedup = predict(options).tree->predicted_speedup;
  EXPECT_NEAR(speedup.value, 1.81 / 1.2, 1e-12);
  EXPECT_NEAR(speedup.low(), 1.81 / 1.5, 1e-12);
  EXPECT_NEAR(speedup.high(), 1.81 / 1.05, 1e-12);
  options.acceptance_rate = "0.7:0.1:0.9";
  EXPECT_FALSE(predict(options).tree->predicted_speedup.interval) << "that of the costs alone would be too narrow";
  options.acceptance_rate.reset(), options.cost_ratio = "0.1", options.verify_cost_ratio = "1.1";
  EXPECT_FALSE(predict(options).tree->predicted_speedup.interval);
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
  const Prediction open = predict(ratios("0.9:0.5:1", "0.05")), closed = predict(ratios("0.8:0.7:0.9", "0.05"));
  EXPECT_TRUE(open.optimum.is_highest_at_longest);
  EXPECT_FALSE(open.optimum.is_at_longest);
  EXPECT_NE(prediction_text(open).find(", 256 or more]: "), std::string::npos) << prediction_text(open);
  EXPECT_FALSE(closed.optimum.is_highest_at_longest);
}

TEST(Prediction, HasTheBestTreeOfABudget) {
  PredictOptions options{.cost_ratio = "0", .tree_budget = 8, .tree_levels = 12, .rank_acceptance = "0.70,0.11,0.04,0.03,0.01"};
  const Prediction prediction = predict(options);
  EXPECT_EQ(prediction.acceptance_rate.value, 0.7) << "of the first child";
  EXPECT_NEAR(prediction.tree->tokens_per_round, 3.168819, 1e-12);
  EXPECT_EQ(prediction.tree->nodes, 8);
  EXPECT_EQ(prediction.tree->parents.rfind("parents:0", 0), 0U);
}

TEST(Prediction, HasNoTreeWhereNonePays) {
  const Prediction prediction = predict({.cost_ratio = "2", .tree_budget = 8, .rank_acceptance = "0.5,0.2"});
  EXPECT_EQ(prediction.tree->nodes, 1);
  EXPECT_EQ(prediction.tree->predicted_speedup.value, 1.0);
  EXPECT_NE(prediction_text(prediction).find("none pays"), std::string::npos);
}

TEST(Prediction, OfATreeByMeasuredCostsStaysWithinThem) {
  PredictOptions options{.costs = file_with("costs.csv", small_costs()), .rank_acceptance = "0.6,0.2"};
  const Prediction prediction = predict(options);
  EXPECT_LE(prediction.tree->nodes, 5) << "forwards of up to 5 rows were timed";
  EXPECT_GT(prediction.tree->predicted_speedup.value, prediction.optimum.at.predicted_speedup.value) << "a sibling costs a row, a level costs a draft";
  options.tree_budget = 6;
  EXPECT_THROW(predict(options), ConfigError);
}

TEST(Prediction, IsOneTableInThreeForms) {
  PredictOptions options = ratios("0.8:0.7:0.9", "0.05");
  const Prediction prediction = predict(options);
  const analysis::Table csv = analysis::Table::parse(prediction_csv(prediction), "csv");
  const auto json = nlohmann::json::parse(prediction_json(prediction));
  ASSERT_EQ(csv.size(), prediction.lengths.size());
  ASSERT_EQ(json.at("lengths").size(), csv.size());
  for (std::size_t row = 0; row < csv.size(); ++row) {
    EXPECT_EQ(csv.number(row, "predicted_speedup"), json.at("lengths")[row].at("predicted_speedup"));
    EXPECT_EQ(csv.number(row, "tokens_per_round_low"), json.at("lengths")[row].at("tokens_per_round_low"));
  }
  EXPECT_EQ(json.at("optimum").at("optimal_speculation_length"), 8);
  EXPECT_EQ(json.at("optimum").at("predicted_speedup"), prediction.optimum.at.predicted_speedup.value);
  EXPECT_EQ(json.at("optimum").at("tokens_per_round"), prediction.optimum.at.tokens_per_round.value);
  const std::string text = prediction_text(prediction);
  EXPECT_NE(text.find("optimum  8 ["), std::string::npos) << text;
  for (const std::string& all : {text, prediction_csv(prediction), prediction_json(prediction)}) EXPECT_EQ(all.find("nan"), std::string::npos);
  EXPECT_TRUE(prediction_figure(prediction).series[1].points.empty()) << "no plot was asked for";
  options.plot = "x.png", options.speculation_length = 20;
  EXPECT_EQ(prediction_figure(predict(options)).series[1].points.size(), 21u) << "no gap before the chosen length";
}

void expect_config_error(const PredictOptions& options, const std::string& message) try {
  predict(options);
  ADD_FAILURE() << message;
} catch (const ConfigError& error) {
  EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
}

TEST(Prediction, RefusesOptionsThatSayNothingOrTooMuch) {
  for (const char* rate : {"1.2", "-0.1", "nan", "inf", "", "0.8x", "0.8:0.9", "0.8:0.9:0.95", "0.8:0.7:1.1"})
    expect_config_error(ratios(rate, "0.1"), "--acceptance-rate");
  for (const char* cost : {"-1", "nan", "x", "0.1:0.2:0.3"}) expect_config_error(ratios("0.8", cost), "--cost-ratio");
  expect_config_error({.cost_ratio = "0.1"}, "no acceptance; give");
  expect_config_error({.acceptance_rate = "0.8"}, "no cost of drafting; give --cost-ratio");
  expect_config_error({.acceptance_rate = "0.8", .trace = "x", .cost_ratio = "0.1"}, "contradict each other");
  expect_config_error({.acceptance_rate = "0.8", .cost_ratio = "0.1", .costs = "x"}, "--costs contradicts --cost-ratio");
  expect_config_error({.target_law = "p", .cost_ratio = "0.1"}, "belong together");
  expect_config_error({.acceptance_rate = "0.8", .cost_ratio = "0.1", .drafter = "bigram"}, "choose among");
  expect_config_error({.acceptance_rate = "0.8", .cost_ratio = "0.1", .context = 3}, "--context");
  expect_config_error({.acceptance_rate = "0.8", .cost_ratio = "0.1", .target_bytes = "3"}, "belong together");
  expect_config_error({.acceptance_rate = "0.8", .cost_ratio = "0.1", .max_length = 0}, "--max-length 0; allowed: integers from 1");
  expect_config_error({.acceptance_rate = "0.8", .cost_ratio = "0.1", .speculation_length = -1}, "--speculation-length -1; allowed: integers from 0");
  expect_config_error({.acceptance_rate = "0.8", .cost_ratio = "0.1", .tree_budget = 8}, "need acceptance by rank");
  expect_config_error({.cost_ratio = "0.1", .tree_budget = 0, .rank_acceptance = "0.7"}, "--tree-budget 0; allowed");
  expect_config_error({.acceptance_rate = "0.8", .cost_ratio = "0.1", .rank_acceptance = "0.7,0.1"}, "make them equal");
  expect_config_error({.cost_ratio = "0.1", .rank_acceptance = "0.7,0.4"}, "sums to");
}

/// Costs less the first line that holds `part`.
std::string costs_without(const std::string& part) {
  std::string costs = small_costs();
  const std::size_t at = costs.rfind('\n', costs.find(part));
  return costs.erase(at, costs.find('\n', at + 1) - at);
}

TEST(Prediction, RefusesCostsWithAHole) {
  expect_data_error(kCostHeader, "no rows");
  expect_data_error(costs_without("target,3,10"), "no target forward of 3 rows at context 10");
  expect_data_error(costs_without("target,1,30"), "no target forward of 1 row at context 30");
  expect_data_error(costs_without(",greedy,overhead,1"), "overhead of plain decoding");
  expect_data_error(costs_without("greedy,overhead,2"), "overhead (with the drafter)");
  std::string no_draft = small_costs();
  for (std::size_t at; (at = no_draft.find("draft,")) != std::string::npos;) no_draft.replace(at, 6, "prefill,");
  expect_data_error(no_draft, "no cost of kind draft");
  std::string missing = small_costs();
  missing.replace(missing.find(",980,"), 5, ",,");
  expect_data_error(missing, "column 'ns': missing");
  std::string not_a_number = small_costs();
  not_a_number.replace(not_a_number.find(",980,"), 5, ",nan,");
  expect_data_error(not_a_number, "column 'ns': not a finite number");
  expect_data_error(small_costs() + "t,d,chain,rejection,greedy,draft,2,20,1,70,,,9\n", "two costs of kind draft for 2 rows at context 20");
  EXPECT_THROW(predict({.acceptance_rate = "0.8", .costs = "/nowhere/costs.csv"}), DataError);
}

}  // namespace
}  // namespace speclab::experiments
