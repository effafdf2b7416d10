#include "engines/sampling/logits_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

using Form = Law::Form;

Law law_of(const SamplingOptions& options, std::span<const float> logits,
           const std::vector<Token>& history = {}) {
  LogitsPipeline pipeline(options);
  Law law;
  pipeline.law(logits, history, law);
  return law;
}

Law law_of(const SamplingOptions& options, std::initializer_list<float> logits,
           const std::vector<Token>& history = {}) {
  return law_of(options, std::vector<float>(logits), history);
}

std::vector<Token> support(const Law& law) {
  std::vector<Token> tokens;
  for (Token token = 0; static_cast<std::size_t>(token) < law.vocab_size(); ++token)
    if (law[token] > 0) tokens.push_back(token);
  return tokens;
}

TEST(LogitsPipeline, IsSoftmaxWhereNothingIsSet) {
  std::mt19937 random(1);
  std::vector<float> logits(1003);
  for (float& logit : logits) logit = static_cast<float>(random() % 20000) / 1000.0f - 10.0f;
  const Law law = law_of({}, logits);
  EXPECT_EQ(law.form(), Form::dense);
  double total = 0;
  for (const float logit : logits) total += std::exp(static_cast<double>(logit));
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double expected = std::exp(static_cast<double>(logits[i])) / total;
    EXPECT_NEAR(static_cast<double>(law[static_cast<Token>(i)]) / expected, 1.0, 2e-6);
  }
}

TEST(LogitsPipeline, IsAPointMassOnTheLowestOfTheBestAtTemperatureZero) {
  const Law law = law_of({.temperature = 0}, {1, 5, 3, 5, 5});
  EXPECT_EQ(law.form(), Form::point_mass);
  EXPECT_EQ(law.arg_max(), 1);
}

TEST(LogitsPipeline, FindsTheBestWhereverItStands) {
  for (const std::size_t size : {1U, 2U, 15U, 16U, 63U, 64U, 65U, 200U})
    for (std::size_t best = 0; best < size; ++best) {
      std::vector<float> logits(size, -3.0f);
      logits[best] = -2.5f;
      ASSERT_EQ(law_of({.temperature = 0}, logits).arg_max(), static_cast<Token>(best)) << size;
    }
}

TEST(LogitsPipeline, TruncationIsIgnoredAtTemperatureZeroButThePenaltyIsNot) {
  EXPECT_EQ(law_of({.temperature = 0, .top_k = 3, .top_p = 0.2, .min_p = 0.5}, {1, 5, 4}).arg_max(),
            1);
  EXPECT_EQ(law_of({.temperature = 0, .repetition_penalty = 1.5}, {1, 5, 4}, {1}).arg_max(), 2);
}

TEST(LogitsPipeline, TopKKeepsAllThatTieWithTheLast) {
  EXPECT_EQ(support(law_of({.top_k = 2}, {0, 3, 2, 2, 1, 2})), (std::vector<Token>{1, 2, 3, 5}));
  EXPECT_EQ(support(law_of({.top_k = 1}, {0, 3, 2})), (std::vector<Token>{1}));
}

/// The k likeliest of a law and all that tie with the last of them, by sorting it whole.
std::vector<Token> top_k_by_sorting(const Law& law, std::size_t k) {
  std::vector<float> sorted;
  for (Token token = 0; static_cast<std::size_t>(token) < law.vocab_size(); ++token)
    sorted.push_back(law[token]);
  const std::vector<float> probabilities = sorted;
  std::ranges::sort(sorted, std::greater<>());
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < probabilities.size(); ++i)
    if (probabilities[i] > 0 && probabilities[i] >= sorted[std::min(k, sorted.size()) - 1])
      tokens.push_back(static_cast<Token>(i));
  return tokens;
}

TEST(LogitsPipeline, TopKKeepsWhatSortingKeeps) {
  std::mt19937 random(1);
  for (const float width :
       {0.0f, 0.01f, 1.0f, 20.0f, 400.0f}) {  // of the last, most are probability 0
    std::vector<float> logits(1003);
    for (float& logit : logits)
      logit = width * static_cast<float>(random() % 500) / 500.0f;  // with ties
    const Law whole = law_of({}, logits);
    for (const int k : {1, 2, 50, 400, 1002, 1003, 5000}) {
      const std::vector<Token> kept = support(law_of({.top_k = k}, logits));
      EXPECT_EQ(kept, top_k_by_sorting(whole, static_cast<std::size_t>(k)))
          << "width " << width << ", k " << k;
    }
  }
}

TEST(LogitsPipeline, TopPKeepsTheLowerIdOfATie) {
  EXPECT_EQ(support(law_of({.top_p = 0.45}, {1, 1, 1, 1})), (std::vector<Token>{0, 1}));
}

TEST(LogitsPipeline, TopPKeepsAtLeastTheBest) {
  EXPECT_EQ(support(law_of({.top_p = 1e-9}, {0, 2, 1})), (std::vector<Token>{1}));
}

TEST(LogitsPipeline, MinPOfOneKeepsOnlyTheBest) {
  EXPECT_EQ(support(law_of({.min_p = 1.0}, {0, 2, 1})), (std::vector<Token>{1}));
}

TEST(LogitsPipeline, MassThatIsLeftSumsToOne) {
  const Law law =
      law_of({.temperature = 0.7, .top_k = 4, .top_p = 0.8, .min_p = 0.05}, {0, 3, 2, 2.5f, 1, -2});
  EXPECT_EQ(law.form(), Form::sparse);
  double total = 0;
  for (const auto& entry : law.entries()) total += static_cast<double>(entry.probability);
  EXPECT_NEAR(total, 1.0, 1e-6);
}

TEST(LogitsPipeline, PenaltyCountsATokenOnceHoweverOftenItStands) {
  const Law once = law_of({.repetition_penalty = 1.3}, {2, -1, 0.5f}, {0, 1});
  const Law often = law_of({.repetition_penalty = 1.3}, {2, -1, 0.5f}, {0, 1, 0, 1, 1});
  for (Token token = 0; token < 3; ++token) EXPECT_EQ(once[token], often[token]);
  const double total = std::exp(2 / 1.3) + std::exp(-1.3) + std::exp(0.5);
  EXPECT_NEAR(static_cast<double>(once[0]), std::exp(2 / 1.3) / total, 1e-6);
  EXPECT_NEAR(static_cast<double>(once[1]), std::exp(-1.3) / total, 1e-6);
}

TEST(LogitsPipeline, MinusInfinityIsProbabilityZero) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(support(law_of({}, {0, -infinity, 1})), (std::vector<Token>{0, 2}));
  EXPECT_EQ(law_of({.temperature = 0}, {-infinity, -4}).arg_max(), 1);
}

/// One bad logit among 70, at every place: in whole vectors, in the rest, first and last.
TEST(LogitsPipeline, RefusesLogitsThatAreNoNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  for (const SamplingOptions& options :
       {SamplingOptions{}, {.temperature = 0}, {.top_k = 5}, {.temperature = 0.5, .top_p = 0.9}})
    for (const float bad : {nan, infinity})
      for (std::size_t place = 0; place < 70; ++place) {
        std::vector<float> logits(70, 1.0f);
        logits[place] = bad;
        EXPECT_THROW(law_of(options, logits), ModelFileError)
            << "T = " << options.temperature << ", place " << place;
      }
}

TEST(LogitsPipeline, NamesTheModelWhoseLogitsAreNoNumbers) {
  Law law;
  try {
    LogitsPipeline({}, "broken-7b").law(std::vector<float>{1.0f, std::nanf("")}, {}, law);
    FAIL() << "accepted";
  } catch (const ModelFileError& error) {
    EXPECT_NE(std::string(error.what()).find("broken-7b"), std::string::npos) << error.what();
  }
}

TEST(LogitsPipeline, RefusesLogitsThatLeaveNoToken) {
  const std::vector<float> logits(20, -std::numeric_limits<float>::infinity());
  EXPECT_THROW(law_of({}, logits), ModelFileError);
  EXPECT_THROW(law_of({.temperature = 0}, logits), ModelFileError);
}

TEST(LogitsPipeline, IsUsedAgainWithoutARemainder) {
  LogitsPipeline pipeline({.top_k = 2, .repetition_penalty = 2.0});
  Law law;
  pipeline.law(std::vector<float>{4, 1, 3, 2}, std::vector<Token>{0}, law);
  EXPECT_EQ(support(law), (std::vector<Token>{0, 2, 3}));  // 4 / 2 ties with the 2 beside it
  pipeline.law(std::vector<float>{1, 5, 3}, std::vector<Token>{}, law);
  EXPECT_EQ(support(law), (std::vector<Token>{1, 2}));
  EXPECT_EQ(law.vocab_size(), 3U);
}

TEST(History, HoldsTheSequenceAndThePathToTheNodeOnly) {
  TokenTree tree;
  tree.reset(9);
  const auto left = tree.add(0, 20);
  tree.add(0, 30);
  const auto leaf = tree.add(left, 21);
  std::vector<Token> history;
  collect_history({.repetition_penalty = 1.2}, {7, 8, 9}, tree, leaf, history);
  std::sort(history.begin(), history.end());
  EXPECT_EQ(history, (std::vector<Token>{7, 8, 9, 20, 21}));
  collect_history({}, {7, 8, 9}, tree, leaf, history);
  EXPECT_TRUE(history.empty());
}

}  // namespace
}  // namespace speclab::engines
