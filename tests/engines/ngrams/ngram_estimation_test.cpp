#include "engines/ngrams/ngram_estimation.h"

#include <gtest/gtest.h>

#include "engines/ngrams/ngram_arrays.h"
#include "sim/system/errors.h"
#include "tests/engines/ngrams/slow_ngrams.h"

namespace speclab::engines {
namespace {

using testing::SlowNgrams;
using testing::Tokens;

constexpr std::int32_t kVocab = 7;

/// Contexts that occur, contexts that do not, and the empty one.
std::vector<Tokens> contexts(std::size_t longest) {
  std::vector<Tokens> all{{}};
  for (std::size_t begin = 0, n = 0; n < longest; ++n)
    for (const std::size_t end = all.size(); begin < end; ++begin)
      for (Token token = 0; token < kVocab; ++token) {
        all.push_back(all[begin]);
        all.back().push_back(token);
      }
  return all;
}

TEST(NgramEstimation, GivesTheInterpolatedProbabilities) {
  for (std::int32_t order = 1; order <= 5; ++order)
    for (const int length : {40, 200}) {  // discounts from few counts are plain ones
      const auto texts = testing::random_texts(static_cast<unsigned>(order), kVocab, 3, length);
      const auto spans = testing::as_ngram_texts(texts);
      const SlowNgrams slow(spans, kVocab, order);
      const NgramModel model =
          estimate_ngrams(spans, kVocab, {.order = order, .max_successors = 255});
      for (const Tokens& context : contexts(std::min(order, 3)))
        for (Token token = 0; token < kVocab;
             ++token)  // a weight is what rounded probabilities leave
          EXPECT_NEAR(model.probability(context, token), slow.probability(context, token),
                      8 * kSmallFloatError)
              << "order " << order;
    }
}

TEST(NgramEstimation, StoresNearlyTheInterpolatedProbabilityOfAnNgram) {
  const auto texts = testing::random_texts(3, kVocab, 3, 200);
  const auto spans = testing::as_ngram_texts(texts);
  const SlowNgrams slow(spans, kVocab, 4);
  const NgramModel model = estimate_ngrams(spans, kVocab, {.order = 4, .max_successors = 255});
  for (std::size_t n = 1; n <= 4; ++n)
    for (const Tokens& ngram : slow.ngrams(n)) {
      const Tokens context(ngram.begin(), ngram.end() - 1);
      EXPECT_NEAR(
          model.probability(context, ngram.back()) / slow.probability(context, ngram.back()), 1.0,
          1.01 * kSmallFloatError);
    }
}

TEST(NgramEstimation, ProbabilitiesSumToOneHoweverManyAreDropped) {
  const auto texts = testing::random_texts(9, kVocab, 4, 150);
  for (const std::int32_t most : {1, 2, 255})
    for (const std::int32_t occurrences : {1, 2, 5}) {
      const NgramModel model =
          estimate_ngrams(testing::as_ngram_texts(texts), kVocab,
                          {.order = 5, .max_successors = most, .min_occurrences = occurrences});
      for (const Tokens& context : contexts(4)) {
        double sum = 0;
        for (Token token = 0; token < kVocab; ++token) sum += model.probability(context, token);
        EXPECT_NEAR(sum, 1.0, 0.005) << most << " successors, " << occurrences << " occurrences";
      }
    }
}

TEST(NgramEstimation, DropsRareNgramsOfThreeTokensAndMore) {
  const std::vector<Tokens> texts{{0, 1, 2, 3, 0, 1, 2, 4, 5, 6}};
  const auto size = [&](std::int32_t order, std::int32_t occurrences) {
    return estimate_ngrams(testing::as_ngram_texts(texts), kVocab,
                           {.order = order, .min_occurrences = occurrences})
        .num_ngrams();
  };
  EXPECT_EQ(size(2, 1), 7 + 7);
  EXPECT_EQ(size(2, 9), 7 + 7);
  EXPECT_EQ(size(3, 1), 7 + 7 + 7);
  EXPECT_EQ(size(3, 2), 7 + 7 + 1);
}

/// The dearest text: no n-gram of two and more tokens occurs twice.
TEST(NgramEstimation, TakesAtMostTwelveBytesAnNgram) {
  for (std::int32_t order = 2; order <= 5; ++order) {
    Tokens text;
    for (std::uint32_t i = 0, x = 1; i < 100'000; ++i)
      text.push_back(static_cast<Token>((x = x * 1664525 + 1013904223) >> 15));
    const NgramText span{text};
    const NgramModel model = estimate_ngrams({&span, 1}, 1 << 17, {.order = order});
    const NgramArrays& arrays = model.arrays();
    const auto ngrams = static_cast<double>(arrays.num_ngrams()),
               contexts = static_cast<double>(arrays.num_contexts()),
               inner = static_cast<double>(arrays.num_inner());
    EXPECT_LE((5 * ngrams + 6.25 * contexts + 3 * inner) / ngrams, 12.0) << "order " << order;
    EXPECT_GT(ngrams, 0.7 * order * 100'000);
  }
}

TEST(NgramEstimation, RefusesOptionsOutOfRange) {
  const NgramText text{};
  const NgramOptions wrong[] = {{.order = 0},
                                {.order = 6},
                                {.max_successors = 0},
                                {.max_successors = 256},
                                {.min_occurrences = 0}};
  for (const NgramOptions& options : wrong)
    EXPECT_THROW(estimate_ngrams({&text, 1}, kVocab, options), ConfigError);
}

}  // namespace
}  // namespace speclab::engines
