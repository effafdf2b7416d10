// The masking shift of drawn texts: its estimate, and the probabilities that a mask allowed.

#include "experiments/drivers/generate/masking_shift.h"

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/drivers/generate/call_checks.h"
#include "sim/system/errors.h"
#include "tests/engines/decoding/tiny_decoding.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::experiments {
namespace {

std::vector<double> logs_of(const std::vector<double>& weights) {
  std::vector<double> logs;
  for (const double weight : weights) logs.push_back(std::log(weight));
  return logs;
}

/// Defect: texts count by their own probability instead of the allowed one, or the shift is twice
/// the total variation. Half the texts have a tenth allowed, half nine tenths, as in MODES.md.
TEST(MaskingShift, IsTheTotalVariationFromTheLawGivenAMatch) {
  std::vector<double> weights(40, 0.1);
  weights.insert(weights.end(), 40, 0.9);
  const MaskingShift shift = masking_shift(logs_of(weights));
  EXPECT_NEAR(shift.total_variation.value, 0.4, 1e-12);
  EXPECT_NEAR(std::exp(shift.log_match_probability), 0.5, 1e-12);
  EXPECT_NEAR(shift.effective_sample_size, 40 * 40 / (40 * 0.82), 1e-9);
  const analysis::Interval interval = shift.total_variation.interval.value();
  EXPECT_LT(interval.low, 0.4);
  EXPECT_GT(interval.high, 0.4);
  EXPECT_GE(interval.low, 0);
  EXPECT_LE(interval.high, 1);
}

/// Defect: long texts, whose allowed probabilities no double holds, give no number; texts of one
/// weight look like a sure answer.
TEST(MaskingShift, OfTextsOfOneWeightHasNoInterval) {
  const MaskingShift shift = masking_shift(std::vector<double>(8, -5000.0));
  EXPECT_EQ(shift.total_variation.value, 0);
  EXPECT_FALSE(shift.total_variation.interval);
  EXPECT_NEAR(shift.log_match_probability, -5000.0, 1e-9);
  EXPECT_NEAR(shift.effective_sample_size, 8, 1e-12);
}

/// Defect: a tight interval misses the shift, because likely matches were hardly drawn.
TEST(MaskingShift, HasNoIntervalIfFewTextsHoldTheWeight) {
  std::vector<double> weights(256, 1e-6);
  weights[0] = weights[1] = 1;
  const MaskingShift shift = masking_shift(logs_of(weights));
  EXPECT_NEAR(shift.effective_sample_size, 2, 0.01);
  EXPECT_FALSE(shift.total_variation.interval);
}

/// Allows even tokens at the beginning, then all of one rest of three, by the text's length.
class Thirds final : public engines::TokenMask {
 public:
  explicit Thirds(std::size_t vocab_size) {
    for (std::size_t length = 0; length < 4; ++length) {
      allowed_.emplace_back();
      for (std::size_t token = 0; token < vocab_size; ++token)
        allowed_.back().tokens.push_back(length == 0 ? token % 2 == 0 : token % 3 == length % 3);
    }
  }
  const engines::AllowedTokens& allowed(std::span<const Token> new_tokens) const override {
    return allowed_.at(new_tokens.size());
  }

 private:
  std::vector<engines::AllowedTokens> allowed_;
};

/// Defect: a step's mass is taken after another text than the step's, or without the temperature.
TEST(MaskingShift, MultipliesTheAllowedProbabilitiesOfEveryStep) {
  const auto model = engines::testing::tiny_model(engines::testing::tiny_config());
  const Thirds mask(static_cast<std::size_t>(model->info().vocab_size));
  const std::vector<Token> prompt{5, 9}, text{4, 7, 2, 6};
  for (const double temperature : {1.0, 0.5}) {
    double expected = 0;
    for (std::size_t step = 0; step < text.size(); ++step) {
      std::vector<Token> before = prompt;
      before.insert(before.end(), text.begin(), text.begin() + static_cast<std::ptrdiff_t>(step));
      const std::vector<float> logits = engines::testing::logits_of(*model, before).back();
      const std::vector<bool>& allowed = mask.allowed(std::span(text).first(step)).tokens;
      double kept = 0, all = 0;
      for (std::size_t token = 0; token < logits.size(); ++token) {
        const double mass = std::exp(static_cast<double>(logits[token]) / temperature);
        all += mass;
        if (allowed[token]) kept += mass;
      }
      expected += std::log(kept / all);
    }
    EXPECT_NEAR(log_allowed(*model, prompt, text, mask, temperature), expected, 1e-5);
  }
}

GenerationPlan drawn(std::int32_t texts) {
  GenerationPlan plan{.policy = "constant:4"};
  plan.num_return_sequences = texts;
  return plan;
}

std::string refusal(const GenerateOptions& options, const GenerationPlan& plan) {
  try {
    check_call({options, plan});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

/// Defect: a shift is told of texts that were not drawn from the masked law of the model alone.
TEST(MaskingShift, IsToldOfDrawnTextsAlone) {
  GenerateOptions options;
  EXPECT_EQ(refusal(options, drawn(1)), "") << "nobody asks";
  options.constraint.masking_shift = true;
  EXPECT_NE(refusal(options, drawn(8)).find("--regex"), std::string::npos);
  options.constraint.regex = "ab?";
  EXPECT_EQ(refusal(options, drawn(8)), "");
  EXPECT_NE(refusal(options, drawn(7)).find("8 or more"), std::string::npos);
  EXPECT_THROW(checked_call(options, std::nullopt), ConfigError);
  GenerationPlan plan = drawn(8);
  plan.decoding.sampling.top_k = 50;
  EXPECT_NE(refusal(options, plan).find("top_k"), std::string::npos);
  plan = drawn(8);
  plan.decoding.sampling.rules.min_new_tokens = 2;
  EXPECT_NE(refusal(options, plan).find("whole texts"), std::string::npos);
  plan = drawn(8);
  plan.decoding.drafter.kind = "ngram";
  plan.decoding.verifier = "lenient";
  EXPECT_NE(refusal(options, plan).find("'lenient'"), std::string::npos);
  plan = drawn(8);
  plan.decoding.sampling.temperature = 0;
  EXPECT_NE(refusal(options, plan).find("drawn"), std::string::npos);
}

}  // namespace
}  // namespace speclab::experiments
