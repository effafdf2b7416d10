// Laws against those of Hugging Face's processors (tests/golden/make_sampling_fixture.py).

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "engines/sampling/logits_pipeline.h"

namespace speclab::engines {
namespace {

SamplingOptions options_of(const nlohmann::json& line) {
  return {.temperature = line["temperature"],
          .top_k = line["top_k"],
          .top_p = line["top_p"],
          .min_p = line["min_p"],
          .repetition_penalty = line["repetition_penalty"],
          .no_repeat_ngram_size = line["no_repeat_ngram_size"],
          .min_length = line["min_length"],
          .eos_token_ids = line["eos_token_id"],
          .suppress_tokens = line["suppress_tokens"],
          .typical_p = line["typical_p"],
          .epsilon_cutoff = line["epsilon_cutoff"],
          .eta_cutoff = line["eta_cutoff"]};
}

template <typename Scalar>
std::vector<Scalar> logits_of(const nlohmann::json& line) {
  std::vector<Scalar> logits;
  for (const auto& value : line["logits"])
    logits.push_back(value.is_null() ? -std::numeric_limits<Scalar>::infinity()
                                     : value.get<Scalar>());
  return logits;
}

/// Compares all cases. @return how many, and how many tokens were cut
template <typename Scalar>
std::pair<std::size_t, std::size_t> compare(double tolerance) {
  std::ifstream file(SPECLAB_SOURCE_DIR "/tests/golden/sampling.jsonl");
  std::size_t cases = 0, cut = 0;
  for (std::string text; std::getline(file, text); ++cases) {
    const auto line = nlohmann::json::parse(text);
    BasicLogitsPipeline<Scalar> pipeline(options_of(line));
    BasicLaw<Scalar> law;
    pipeline.law(logits_of<Scalar>(line), line["previous_ids"].get<std::vector<Token>>(), law);
    const auto expected = line["law"].get<std::vector<double>>();
    EXPECT_EQ(law.vocab_size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double found = static_cast<double>(law[static_cast<Token>(i)]);
      EXPECT_NEAR(found, expected[i], tolerance) << "case " << cases << " token " << i;
      EXPECT_EQ(found > 0, expected[i] > 0) << "case " << cases << " token " << i;
      cut += expected[i] == 0;
    }
  }
  return {cases, cut};
}

TEST(LogitsPipelineParity, LawsAreThoseOfThePeersProcessors) {
  const auto [cases, cut] = compare<float>(1e-6);
  EXPECT_GE(cases, 500U);
  EXPECT_GE(cut, 5000U) << "the fixture hardly tests the processors that cut";
}

TEST(LogitsPipelineParity, InDoubleToRounding) { compare<double>(1e-14); }

}  // namespace
}  // namespace speclab::engines
