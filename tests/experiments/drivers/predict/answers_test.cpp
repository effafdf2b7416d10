// Answers of closed forms beside the table of lengths, against values computed by hand.
#include "experiments/drivers/predict/answers.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "experiments/drivers/predict/prediction.h"
#include "experiments/drivers/predict/prediction_output.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/predict/predict_files.h"

namespace speclab::experiments {
namespace {

nlohmann::json json_of(const PredictOptions& options) {
  return nlohmann::json::parse(prediction_json(predict(options)));
}

PredictOptions at_length(const char* rate, const char* cost, int length) {
  PredictOptions options = ratios(rate, cost);
  options.speculation_length = length;
  return options;
}

/// Laws of Sun et al. 2024, Section 2: by tokens 10/9 drafts of two are kept, by blocks 11/9.
PredictOptions laws_of_two() {
  return {.target_law = file_with("p_two.txt", "0.3333333333333333 0.6666666666666667\n"),
          .draft_law = file_with("q_two.txt", "0.6666666666666667 0.3333333333333333\n"),
          .cost_ratio = "0.05"};
}

/// @return what `predict` refuses with
std::string refusal_of(const PredictOptions& options) {
  try {
    predict(options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

/// Defect: the corollary compares with 1 in place of c, or the smallest acceptance is that of
/// another length.
TEST(PredictAnswers, SayWhetherDraftingPaysAndFromWhichAcceptanceOn) {
  const auto pays = json_of(at_length("0.8", "0.05", 2)).at("break_even");
  EXPECT_EQ(pays.at("can_pay"), true);
  EXPECT_EQ(pays.at("length_pays"), true);
  EXPECT_NEAR(pays.at("predicted_speedup_lower_bound").get<double>(), 1.8 / 1.05, 1e-14);
  EXPECT_NEAR(pays.at("needed_acceptance").get<double>(), (std::sqrt(1.4) - 1.0) / 2.0, 1e-12)
      << "a + a^2 = 2 c";
  const auto not_at_all = json_of(at_length("0.1", "0.2", 3)).at("break_even");
  EXPECT_EQ(not_at_all.at("can_pay"), false);
  EXPECT_EQ(not_at_all.at("length_pays"), false);
  EXPECT_FALSE(json_of(ratios("0.9", "1.5")).at("break_even").contains("needed_acceptance"))
      << "no acceptance is enough";
}

/// Defect: nothing drafted is answered for another length than the other answers are.
TEST(PredictAnswers, LeaveTheLengthOpenWhereNothingIsDrafted) {
  const auto nothing = json_of(at_length("0.8", "0.05", 0)).at("break_even");
  EXPECT_EQ(nothing.at("speculation_length"), 0);
  EXPECT_EQ(nothing.at("can_pay"), true);
  EXPECT_FALSE(nothing.contains("length_pays"));
  EXPECT_FALSE(nothing.contains("needed_acceptance"));
}

/// Defect: an output says that no length pays and that one does, without a word on their costs.
TEST(PredictAnswers, SayThatTheyLeaveOutVerificationAndOverhead) {
  const auto says = [](const PredictOptions& options) {
    return prediction_text(predict(options)).find("take v = 1, o = 0") != std::string::npos;
  };
  PredictOptions dear = ratios("0.5", "0.1");
  EXPECT_FALSE(says(dear));
  dear.overhead_ratio = "0.3";
  EXPECT_TRUE(says(dear));
  dear.overhead_ratio = std::nullopt;
  dear.verify_cost_ratio = "2";
  EXPECT_TRUE(says(dear));
  EXPECT_TRUE(says({.acceptance_rate = "0.5", .costs = file_with("costs.csv", small_costs())}));
}

/// Defect: the text calls an answer by another name than --json.
TEST(PredictAnswers, HaveOneNameInTextAndJson) {
  PredictOptions options = laws_of_two();
  options.speculation_length = 2;
  options.new_tokens = options.batch = options.num_beams = options.candidates = 2;
  options.lenience = "0.5";
  options.mlp_speculator = "2,3,2,2";
  const Prediction prediction = predict(options);
  const std::string text = prediction_text(prediction);
  const auto object = nlohmann::json::parse(prediction_json(prediction));
  for (const char* name : {"break_even", "oracle", "heuristic", "distributed", "batch", "beams",
                           "mlp_speculator", "rules", "lenience", "blocks"}) {
    EXPECT_NE(text.find(std::string("\n") + name + " "), std::string::npos) << name;
    EXPECT_TRUE(object.contains(name)) << name;
  }
}

/// Defect: the oracle pays for the token behind its drafts, or the schedule's balance is a half.
TEST(PredictAnswers, NameTheOracleAndTheSchedule) {
  const auto object = json_of(ratios("0.8", "0.05"));
  EXPECT_NEAR(object.at("oracle").at("tokens_per_round").get<double>(), 5.0, 1e-12);
  EXPECT_NEAR(object.at("oracle").at("predicted_speedup").get<double>(), 1.0 / 0.24, 1e-12);
  EXPECT_NEAR(object.at("heuristic").at("balance_length").get<double>(),
              std::log(3.0) / -std::log(0.8), 1e-12);
  const auto certain = json_of(ratios("1", "0.05"));
  EXPECT_FALSE(certain.contains("oracle"));
  EXPECT_FALSE(certain.contains("heuristic"));
}

/// Defect: drafting beside verification is charged like drafting in turn, or a cut round is not
/// counted.
TEST(PredictAnswers, CompareDraftingBesideVerificationWithDraftingInTurn) {
  PredictOptions options = at_length("0.8", "0.25", 1);
  options.new_tokens = 5;
  const auto answer = json_of(options).at("distributed");
  EXPECT_NEAR(answer.at("predicted_speedup").get<double>(), 5.0 / (0.25 * 3.2 + 1.8), 1e-12);
  EXPECT_NEAR(answer.at("predicted_speedup_in_turn").get<double>(), 5.0 / (3.1056 * 1.25), 1e-12)
      << "R(5) = 3.1056 rounds";
  EXPECT_EQ(answer.at("target_servers"), 4);
  options.cost_ratio = "0";
  EXPECT_NE(refusal_of(options).find("allowed: 1e-9 to 1"), std::string::npos);
}

/// Defect: the share of padding is taken of the mean round, not of the longest.
TEST(PredictAnswers, CountThePaddingOfABatch) {
  PredictOptions options = at_length("0.8", "0.05", 1);
  options.batch = 2;
  const auto answer = json_of(options).at("batch");
  EXPECT_NEAR(answer.at("longest_tokens_per_round").get<double>(), 1.96, 1e-12);
  EXPECT_NEAR(answer.at("shortest_tokens_per_round").get<double>(), 1.64, 1e-12);
  EXPECT_NEAR(answer.at("padding_waste_ratio").get<double>(), 1.0 - 1.8 / 1.96, 1e-12);
}

/// Defect: beams of the draft are not verified, or are counted once for all steps.
TEST(PredictAnswers, CountRowsAndOperationsOfSpeculativeBeams) {
  PredictOptions options = at_length("0.5", "0.1", 2);
  options.num_beams = 4;
  options.draft_beams = 8;
  const auto answer = json_of(options).at("beams");
  EXPECT_EQ(answer.at("target_rows_per_round"), 20);
  EXPECT_NEAR(answer.at("steps_per_round").get<double>(), 1.75, 1e-14);
  EXPECT_NEAR(answer.at("operations_factor").get<double>(), 20.0 / 7.0, 1e-14);
  EXPECT_NEAR(answer.at("predicted_speedup_bound").get<double>(), 1.75 / 1.2, 1e-14);
  options.draft_beams = 3;
  EXPECT_NE(refusal_of(options).find("--draft-beams 3; allowed: integers from 4"),
            std::string::npos);
  options.num_beams = std::nullopt;
  EXPECT_NE(refusal_of(options).find("--num-beams"), std::string::npos);
}

/// Defect: a stage is counted for one head, or the heads' logits are left out.
TEST(PredictAnswers, WeighTheHeadsOfAnMlpSpeculator) {
  PredictOptions options = ratios("0.5", "0.1");
  options.mlp_speculator = "2,3,2,2";
  const auto answer = json_of(options).at("mlp_speculator");
  EXPECT_EQ(answer.at("parameters"), 2 * (2 * 6 + 4) + 4 + 4);
  EXPECT_EQ(answer.at("multiplications_per_round"), 2 * 6 + 4 + 4);
  EXPECT_NEAR(answer.at("target_reads_saved_ratio").get<double>(), 1.0 - 1.0 / 1.75, 1e-14);
  options.mlp_speculator = "2,3,2,2,tied";
  EXPECT_EQ(json_of(options).at("mlp_speculator").at("parameters"), 16 + 4 + 4);
  for (const char* broken : {"", "2,3,2", "2,3,2,2,loose", "2,3,0,2", "2,3,1.5,2", "2,3,2,2,2"}) {
    options.mlp_speculator = broken;
    EXPECT_NE(refusal_of(options).find("--mlp-speculator"), std::string::npos) << broken;
  }
}

/// Defect: a rule's acceptance is taken of another rule, or of another number of candidates.
TEST(PredictAnswers, CompareRulesOfSeveralCandidates) {
  PredictOptions options = laws_of_two();
  options.candidates = 2;
  const auto rules = json_of(options).at("rules");
  for (const auto& [rule, kept] : std::map<std::string, double>{{"one_step", 0.5},
                                                                {"sample_match", 4.0 / 9.0},
                                                                {"point_mass", 1.0 / 3.0},
                                                                {"naive", 2.0 / 3.0},
                                                                {"top_k", 1.0},
                                                                {"multi_step", 7.0 / 9.0},
                                                                {"bound", 8.0 / 9.0},
                                                                {"without_replacement", 1.0}})
    EXPECT_NEAR(rules.at(rule).get<double>(), kept, 1e-12) << rule;
  const double rho = (5.0 / 3.0 + std::sqrt(25.0 / 9.0 - 4.0 / 3.0)) / 2.0;
  EXPECT_NEAR(rules.at("spectr").get<double>(), rho * (1.0 / (3.0 * rho) + 1.0 / 3.0), 1e-9);
  options.candidates = 3;
  EXPECT_NE(refusal_of(options).find("the laws have 2 tokens"), std::string::npos);
}

/// Defect: block verification is judged token by token, or lenience leaves the output law alone.
TEST(PredictAnswers, CompareBlocksAndLenienceOfLaws) {
  PredictOptions options = laws_of_two();
  options.speculation_length = 2;
  options.lenience = "0.4";
  const auto object = json_of(options);
  EXPECT_NEAR(object.at("blocks").at("accepted_by_tokens").get<double>(), 10.0 / 9.0, 1e-12);
  EXPECT_NEAR(object.at("blocks").at("accepted_by_blocks").get<double>(), 11.0 / 9.0, 1e-12);
  const auto lenient = object.at("lenience");
  EXPECT_NEAR(lenient.at("acceptance_rate").get<double>(), 1.0, 1e-12);
  EXPECT_NEAR(lenient.at("distance_full_residual").get<double>(), 1.0 / 3.0, 1e-12)
      << "the draft's law comes out";
  EXPECT_NEAR(lenient.at("argmax_acceptance_rate").get<double>(), 1.0, 1e-12);
  PredictOptions no_laws = ratios("0.8", "0.05");
  no_laws.lenience = "0.5";
  EXPECT_NE(refusal_of(no_laws).find("--target-law P --draft-law Q"), std::string::npos);
}

/// Defect: a sum over too many chains runs for hours, or is left out without a word.
TEST(PredictAnswers, LeaveOutWhatTriesTooManyCombinations) {
  PredictOptions options = laws_of_two();
  options.speculation_length = 30;
  const Prediction prediction = predict(options);
  EXPECT_FALSE(json_of(options).at("blocks").contains("accepted_by_blocks"));
  EXPECT_NE(prediction_text(prediction).find("accepted_by_blocks is left out"), std::string::npos);
}

}  // namespace
}  // namespace speclab::experiments
