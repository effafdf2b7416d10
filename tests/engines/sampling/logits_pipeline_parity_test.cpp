// Laws against those of Hugging Face's processors (tests/golden/make_sampling_fixture.py).

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "engines/sampling/logits_pipeline.h"

namespace speclab::engines {
namespace {

constexpr double kTolerance = 1e-6;  ///< float32 against the fixture's double

SamplingOptions options_of(const nlohmann::json& line) {
  return {.temperature = line["temperature"], .top_k = line["top_k"], .top_p = line["top_p"], .min_p = line["min_p"],
          .repetition_penalty = line["repetition_penalty"]};
}

TEST(LogitsPipelineParity, LawsAreThoseOfThePeersProcessors) {
  std::ifstream file(SPECLAB_SOURCE_DIR "/tests/golden/sampling.jsonl");
  std::size_t cases = 0, cut = 0;
  for (std::string text; std::getline(file, text); ++cases) {
    const auto line = nlohmann::json::parse(text);
    LogitsPipeline pipeline(options_of(line));
    Law law;
    pipeline.law(line["logits"].get<std::vector<float>>(), line["history"].get<std::vector<Token>>(), law);
    const auto expected = line["law"].get<std::vector<double>>();
    ASSERT_EQ(law.vocab_size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double found = static_cast<double>(law[static_cast<Token>(i)]);
      EXPECT_NEAR(found, expected[i], kTolerance) << "case " << cases << " token " << i;
      EXPECT_EQ(found > 0, expected[i] > 0) << "case " << cases << " token " << i;
      cut += expected[i] == 0;
    }
  }
  EXPECT_GE(cases, 300U);
  EXPECT_GE(cut, 1000U) << "the fixture hardly tests the processors that cut";
}

}  // namespace
}  // namespace speclab::engines
