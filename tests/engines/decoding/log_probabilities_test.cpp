// Log-probabilities of records are those of the model itself.

#include <gtest/gtest.h>

#include <cmath>

#include "engines/models/commit_chain.h"
#include "tests/engines/decoding/tiny_decoding.h"

namespace speclab::engines {
namespace {

using testing::decode;
using testing::DrafterCase;
using testing::TinyPair;

TinyPair& scored_pair() {
  static TinyPair tiny(testing::tiny_config());
  return tiny;
}

const std::vector<Request> kScoredTexts{{0, {1, 2, 3, 1, 2, 3}}, {1, {250, 4, 77, 8, 4, 77}}};

/// A log-softmax that shares nothing with the decoders'.
double naive_log_probability(std::span<const float> logits, Token token) {
  long double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<long double>(logit));
  return static_cast<double>(static_cast<long double>(logits[static_cast<std::size_t>(token)]) -
                             std::log(sum));
}

/// Feeds the text to the model token by token.
std::vector<double> log_probabilities_of(const std::vector<Token>& prompt,
                                         const std::vector<Token>& output) {
  LanguageModel& model = scored_pair().target();
  const auto cache = model.make_cache(1, static_cast<std::int32_t>(prompt.size() + output.size()));
  const std::int32_t slot = cache->begin();
  std::vector<double> values;
  std::span<const Token> fed = prompt;
  for (const Token& token : output) {
    const ForwardResult result = commit_chain_with_logits(model, *cache, slot, {fed});
    values.push_back(naive_log_probability(result.row(0), token));
    fed = {&token, 1};
  }
  return values;
}

void expect_those_of_the_model(const std::vector<GenerationRecord>& records) {
  constexpr double kRounding = 1e-4;  // a forward of several rows sums float32 in another order
  for (std::size_t s = 0; s < records.size(); ++s) {
    const auto expected = log_probabilities_of(kScoredTexts[s].prompt_ids, records[s].output_ids);
    ASSERT_EQ(records[s].log_probabilities.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(records[s].log_probabilities[i], expected[i], kRounding) << i;
  }
}

DecoderOptions scored(const SamplingOptions& sampling, const DrafterOptions& drafter = {}) {
  return {.sampling = sampling,
          .stop = {.max_new_tokens = 24},
          .drafter = drafter,
          .seed = 5,
          .log_probabilities = true};
}

/// Settings that make another law of the logits.
SamplingOptions with_rules() {
  SamplingOptions sampling{.temperature = 0.7, .top_k = 20};
  sampling.repetition_penalty = 1.3;
  sampling.suppress_tokens = {5, 6, 7};
  sampling.rules.bad_words_ids = {{9}, {11, 12}};
  sampling.rules.set_lengths(kScoredTexts[0].prompt_ids.size(), 24);
  return sampling;
}

class LogProbabilities : public ::testing::TestWithParam<DrafterCase> {};

INSTANTIATE_TEST_SUITE_P(, LogProbabilities, ::testing::ValuesIn(testing::drafter_cases()),
                         [](const auto& named) { return named.param.name; });

/// Defect: the row of another token of the path, or of the law after temperature, cutoffs or rules.
TEST_P(LogProbabilities, AreThoseOfTheRawLogits) {
  for (const SamplingOptions& sampling : {SamplingOptions{.temperature = 0}, with_rules()})
    expect_those_of_the_model(decode(
        *scored_pair().speculative(scored(sampling, GetParam().options())), kScoredTexts, 5));
}

/// Defect: drafts that change what a greedy text is said to be worth.
TEST_P(LogProbabilities, AreThoseOfPlainDecoding) {
  const SamplingOptions greedy{.temperature = 0};
  const auto plain = decode(*scored_pair().plain(scored(greedy)), kScoredTexts, 0),
             drafted = decode(*scored_pair().speculative(scored(greedy, GetParam().options())),
                              kScoredTexts, 5);
  for (std::size_t s = 0; s < plain.size(); ++s) {
    ASSERT_EQ(drafted[s].output_ids, plain[s].output_ids);
    for (std::size_t i = 0; i < plain[s].log_probabilities.size(); ++i)
      EXPECT_NEAR(drafted[s].log_probabilities[i], plain[s].log_probabilities[i], 1e-4);
  }
}

/// Defect: as for drafts, without any.
TEST(PlainLogProbabilities, AreThoseOfTheRawLogits) {
  for (const SamplingOptions& sampling : {SamplingOptions{.temperature = 0}, with_rules()})
    expect_those_of_the_model(decode(*scored_pair().plain(scored(sampling)), kScoredTexts, 0));
}

/// Defect: a log-probability of a token that a stop rule cut off.
TEST(PlainLogProbabilities, EndWithTheText) {
  const DrafterOptions drafter{.kind = "small_transformer"};
  DecoderOptions options = scored({.temperature = 0}, drafter);
  const auto whole = decode(*scored_pair().speculative(options), {kScoredTexts[0]}, 5).front();
  for (std::size_t end = 0; end < 6; ++end) {
    options.stop.eos_token_ids = {{whole.output_ids[end]}};
    const auto cut = decode(*scored_pair().speculative(options), {kScoredTexts[0]}, 5).front();
    EXPECT_EQ(cut.log_probabilities.size(), cut.output_ids.size());
  }
}

/// Defect: sums over the vocabulary that nobody asked for.
TEST(PlainLogProbabilities, AreNotThereUnlessAskedFor) {
  DecoderOptions options = scored({.temperature = 0});
  options.log_probabilities = false;
  EXPECT_TRUE(
      decode(*scored_pair().plain(options), kScoredTexts, 0).front().log_probabilities.empty());
}

}  // namespace
}  // namespace speclab::engines
