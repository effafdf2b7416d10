// `speclab verify`: a rule that is lossless, one that is lossy, and nothing to verify; the distance
// to another arithmetic. A tiny pair writes the many tokens that the statistics need.

#include <nlohmann/json.hpp>

#include "tests/experiments/program/program.h"
#include "tests/experiments/program/tiny_models.h"

namespace speclab {
namespace {

using testing::expect_refusal;
using testing::Outcome;
using testing::run_program;
using testing::TinyModels;

TEST(ProgramVerify, FindsNothingWhereTheRuleIsLossless) {
  const Outcome outcome = run_program(
      "verify --json --drafter prompt_lookup --verifier block --temperature 0.8 --top-p 0.9 "
      "--no-chat-template --prompt-ids 97,98,99 --ignore-eos --max-new-tokens 400 --model " +
      TinyModels::get().target() + " 2>/dev/null");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const auto object = nlohmann::json::parse(outcome.output);
  EXPECT_TRUE(object.at("passes"));
  EXPECT_GT(object.at("greedy").at("tokens").get<int>(), 100);
  EXPECT_EQ(object.at("greedy").at("differences").size(), 0U);
  EXPECT_EQ(object.at("rows").at("different"), 0) << "the CPU kernels are row invariant";
  EXPECT_EQ(object.at("sampled").at("impossible"), 0);
  EXPECT_GT(object.at("accepted").get<int>(), 0);
  EXPECT_NE(object.at("text").get<std::string>().find("verdict    no difference"),
            std::string::npos);
}

void expect_verdict(const std::string& arguments, int code, const std::string& verdict) {
  const Outcome outcome = run_program("verify " + arguments + " 2>/dev/null");
  EXPECT_EQ(outcome.code, code) << outcome.output;
  EXPECT_NE(outcome.output.find(verdict), std::string::npos) << outcome.output;
}

constexpr const char* kRepeatedPrompt =
    "--drafter prompt_lookup --prompt-ids 1,2,3,1,2,3,1,2 --max-new-tokens 8";

/// Defect: a comparison of minutes says neither what it does nor how far it is.
TEST(ProgramVerify, SaysHowFarEachStepIs) {
  const Outcome outcome =
      run_program(std::string("verify ") + kRepeatedPrompt + " 2>&1 >/dev/null");
  for (const char* step : {"greedy texts, plain and speculative: 0 %",
                           "rows alone and side by side: 0 %", "the law of sampled texts: 0 %"})
    EXPECT_NE(outcome.output.find(std::string("verify: ") + step), std::string::npos)
        << outcome.output;
}

TEST(ProgramVerify, FindsALossyRule) {
  expect_verdict(TinyModels::get().pair() +
                     "--verifier lenient --lenience 0.02 --prompt-ids 97,98,99 --ignore-eos "
                     "--max-new-tokens 1000",
                 5, "THE OUTPUT LAW IS NOT THE TARGET'S");
}

TEST(ProgramVerify, NeverCallsALossyRuleLossless) {
  expect_verdict(std::string(kRepeatedPrompt) + " --verifier lenient --lenience 0.9999", 5,
                 "NOT LOSSLESS");
  expect_verdict(std::string(kRepeatedPrompt) + " --json --verifier lenient --lenience 0.9999", 5,
                 "\"lossless\":false");
}

TEST(ProgramVerify, DoesNotPassOnTooFewTokens) {
  expect_verdict(kRepeatedPrompt, 12, "too few tokens to say anything");
}

TEST(ProgramVerify, DoesNotPassWhereNothingWasDrafted) {
  expect_verdict(
      "--drafter prompt_lookup --speculation-length 0 --temperature 0 --prompt-ids 1,2,3 "
      "--max-new-tokens 4",
      12, "nothing was drafted");
  testing::expect_refusal("verify --drafter none", 2, "drafts nothing that could be verified");
}

/// Defect: the distance decides the verdict, compares the model with itself, or is missing in JSON
/// or text. The largest mean allowed is eight times the default model's.
TEST(ProgramVerify, MeasuresTheDistanceToAnotherArithmeticBesideItsVerdict) {
  const Outcome outcome = run_program(
      "verify --json --drafter prompt_lookup --dtype float32 --against bfloat16 --positions 700 "
      "--no-chat-template --prompt-ids 97,98,99 --ignore-eos --temperature 0 --model " +
      TinyModels::get().target() + " 2>/dev/null");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const auto object = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(object.at("settings").at("dtype"), "float32");
  const auto& against = object.at("against");
  EXPECT_EQ(against.at("dtype"), "bfloat16");
  EXPECT_EQ(against.at("positions"), 700);
  EXPECT_EQ(against.at("prompts"), 1);
  EXPECT_GE(against.at("texts"), 3);
  const double mean = against.at("mean_total_variation"), largest = against.at("largest");
  EXPECT_GT(mean, 1e-5);
  EXPECT_LT(mean, 0.05);
  EXPECT_GT(against.at("standard_error"), 0.0);
  EXPECT_GE(against.at("percentile_99"), mean);
  EXPECT_GE(largest, against.at("percentile_99").get<double>());
  EXPECT_GT(against.at("arg_max_agreement"), 0.9);
  EXPECT_NE(object.at("text").get<std::string>().find("not of speculation."), std::string::npos);
}

/// Defect: a model is compared with itself, since "auto" is bfloat16, or a wrong option is found
/// after minutes.
TEST(ProgramVerify, RefusesWhatItCannotCompareWith) {
  const std::string verify = "verify --drafter prompt_lookup --prompt-ids 1,2 ";
  expect_refusal(verify + "--against float16", 2, "--against float16; allowed: float32, bfloat16");
  expect_refusal(verify + "--against auto", 2, "--against auto; allowed: float32, bfloat16");
  expect_refusal(verify + "--model missing --dtype float32 --against float32", 2,
                 "has this number format itself; allowed: bfloat16");
  expect_refusal(verify + "--against bfloat16 --model " + TinyModels::get().target(), 2,
                 "has this number format itself; allowed: float32");
  expect_refusal(verify + "--positions 5", 2, "--against");
  expect_refusal(verify + "--against float32 --positions 0", 2, "--positions 0; allowed");
  expect_refusal(
      verify + "--against float32 --positions 2147483647 --model " + TinyModels::get().target(), 2,
      "their logits take");
  expect_refusal(verify + "--against float32 --verifier greedy --temperature 0.8 --model " +
                     TinyModels::get().target(),
                 2, "greedy");
}

TEST(ProgramVerify, RefusesWhatItCannotVerify) {
  expect_refusal("verify --prompts-per-category 0", 2, "--prompts-per-category 0; allowed");
  expect_refusal("verify --prompts-per-category 99", 2, "99");
  expect_refusal("verify --speculation-length -2", 2, "--speculation-length -2; allowed");
  expect_refusal("verify --prompt-ids 1,x", 2, "--prompt-ids");
  expect_refusal("verify --verifier replay", 2, "verifier");
  expect_refusal("verify --drafter psychic", 2, "psychic");
  expect_refusal("verify --verifier greedy --temperature 0.8", 2, "greedy");
}

}  // namespace
}  // namespace speclab
