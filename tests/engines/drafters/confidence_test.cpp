// A chain ends behind the first token that its drafter holds less likely than the policy bears;
// that token stands.

#include <gtest/gtest.h>

#include <algorithm>

#include "engines/sampling/logits_pipeline.h"
#include "tests/engines/drafters/drafting.h"
#include "tests/engines/drafters/ngram_drafting.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using testing::drafted_tokens;
using testing::propose;
using testing::sequence_of;

constexpr int kLongest = 12;

std::shared_ptr<LanguageModel> confident_model() {
  static const std::shared_ptr<LanguageModel> tiny = testing::tiny_model(testing::tiny_config());
  return tiny;
}

/// The model's own probability of each drafted token, by forwards of their own.
std::vector<double> likelihoods(const Sequence& sequence, const std::vector<Token>& drafted) {
  std::vector<double> likelihoods;
  std::vector<Token> text = sequence.tokens;
  for (const Token token : drafted) {
    Law law;
    LogitsPipeline({}).law(testing::logits_of(*confident_model(), text).back(), {}, law);
    likelihoods.push_back(static_cast<double>(law[token]));
    text.push_back(token);
  }
  return likelihoods;
}

std::vector<Token> drafted_with(const DecoderOptions& options, const Sequence& sequence,
                                double stop_below) {
  const auto drafter = make_small_transformer_drafter(confident_model(), options);
  drafter->begin({&sequence, 1});
  return drafted_tokens(propose(*drafter, sequence, kLongest, stop_below));
}

TEST(Confidence, EndsAChainBehindTheFirstUnsureToken) {
  const Sequence sequence = sequence_of({5, 17, 33, 17, 250, 8});
  int ended = 0;
  for (const double temperature : {0.0, 0.7, 1.0})
    for (const double threshold : {1e-4, 0.002, 0.004, 0.01, 0.5}) {
      const DecoderOptions options{.sampling = {.temperature = temperature}, .seed = 12};
      const std::vector<Token> whole = drafted_with(options, sequence, 0.0),
                               stopped = drafted_with(options, sequence, threshold);
      const std::vector<double> sure = likelihoods(sequence, whole);
      const auto unsure =
          std::ranges::find_if(sure, [&](double likelihood) { return likelihood < threshold; });
      const auto length = std::min<std::ptrdiff_t>(kLongest, unsure - sure.begin() + 1);
      EXPECT_EQ(stopped, std::vector<Token>(whole.begin(), whole.begin() + length))
          << "T = " << temperature << ", " << threshold;
      ended += length > 1 && length < kLongest;
    }
  EXPECT_GT(ended, 2) << "thresholds that end chains in the middle";
}

TEST(Confidence, OfNgramsIsTheirProbability) {
  const auto ngrams =
      testing::ngrams_of({{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 4, 5, 6, 7, 1, 2, 3}}, 8, {.order = 2});
  const Sequence sequence = sequence_of({1});
  const DecoderOptions options{.sampling = {.temperature = 0}};
  const double of_two = ngrams->probability(std::vector<Token>{1}, 2),
               of_three = ngrams->probability(std::vector<Token>{2}, 3);
  ASSERT_GT(of_two, of_three);
  EXPECT_EQ(drafted_tokens(propose(*testing::make_ngram_drafter(ngrams, options), sequence, 6,
                                   (of_two + of_three) / 2)),
            (std::vector<Token>{2, 3}));
  EXPECT_EQ(
      drafted_tokens(propose(*testing::make_ngram_drafter(ngrams, options), sequence, 6, 1.0)),
      (std::vector<Token>{2}));
}

TEST(Confidence, OfACopyGrowsWithItsWeight) {
  const auto ngrams =
      testing::ngrams_of({{1, 7, 1, 6, 1, 5, 2, 6, 2, 7, 3, 3, 4, 4, 5, 5}}, 8, {.order = 2});
  const Sequence sequence = sequence_of({1, 2, 3, 1});
  const auto drafted = [&](double weight) {
    const auto drafter = testing::make_lookup_ngram_drafter(
        ngrams, {.sampling = {.temperature = 0},
                 .drafter = {.kind = "lookup_ngram", .lookup_weight = weight}});
    drafter->begin({&sequence, 1});
    return drafted_tokens(propose(*drafter, sequence, 3, 0.6));
  };
  EXPECT_EQ(drafted(0.9), (std::vector<Token>{2, 3, 1}));
  EXPECT_EQ(drafted(0.5), (std::vector<Token>{2}));
}

}  // namespace
}  // namespace speclab::engines
