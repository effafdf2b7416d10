// Laws over large vocabularies: the same bits whatever the number of threads, and whatever rows
// stand beside a row.

#include "engines/sampling/vocabulary_passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "engines/cpu/kernels.h"
#include "engines/cpu/thread_team.h"
#include "engines/sampling/logits_pipeline.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr std::size_t kLarge = 151'936;  ///< the vocabulary of Qwen
/// Below and above the size that a team shares, with whole chunks and without.
constexpr std::size_t kSizes[] = {1003, 65'535, 65'536, 70'877, kLarge};

std::vector<float> random_logits(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> logits(size);
  for (float& logit : logits) logit = static_cast<float>(random() % 20000) / 1000.0f - 10.0f;
  return logits;
}

/// Null for no threads.
std::shared_ptr<cpu::ThreadTeam> team_of(int threads) {
  return threads == 0 ? nullptr : std::make_shared<cpu::ThreadTeam>(threads);
}

std::vector<float> dense_law(LogitsPipeline& pipeline, std::span<const float> logits) {
  Law law;
  pipeline.law(logits, {}, law);
  const std::span<const float> values = law.dense_values();
  return {values.begin(), values.end()};
}

TEST(VocabularyPasses, GiveTheSameBitsWithAnyNumberOfThreads) {
  for (const std::size_t size : kSizes) {
    const std::vector<float> logits = random_logits(size, 1);
    LogitsPipeline alone({.temperature = 0.7});
    const std::vector<float> expected = dense_law(alone, logits);
    for (const int threads : {1, 2, 3, 7}) {
      LogitsPipeline shared({.temperature = 0.7, .team = team_of(threads)});
      EXPECT_EQ(dense_law(shared, logits), expected) << size << " logits, " << threads;
    }
  }
}

TEST(VocabularyPasses, GiveALawThatIsTheSameBesideAnyRows) {
  const auto team = team_of(2);
  LogitsPipeline alone({.team = team}), beside_others({.team = team});
  const std::vector<float> row = random_logits(kLarge, 1);
  const std::vector<float> expected = dense_law(alone, row);
  for (unsigned other = 2; other < 6; ++other) {
    dense_law(beside_others, random_logits(kSizes[other % std::size(kSizes)], other));
    EXPECT_EQ(dense_law(beside_others, row), expected) << "behind row " << other;
  }
}

TEST(VocabularyPasses, GiveTheSoftmax) {
  const std::vector<float> logits = random_logits(kLarge, 3);
  LogitsPipeline pipeline({.team = team_of(2)});
  const std::vector<float> law = dense_law(pipeline, logits);
  double total = 0;
  for (const float logit : logits) total += std::exp(static_cast<double>(logit));
  for (std::size_t i = 0; i < logits.size(); ++i)
    ASSERT_NEAR(static_cast<double>(law[i]) * total / std::exp(static_cast<double>(logits[i])), 1.0,
                2e-6);
}

TEST(VocabularyPasses, GiveCutLawsTheSameBitsWithAnyNumberOfThreads) {
  const std::vector<float> logits = random_logits(kLarge, 4);
  const auto tokens_of = [&](int threads) {
    Law law;
    LogitsPipeline({.top_k = 50, .min_p = 0.01, .team = team_of(threads)}).law(logits, {}, law);
    std::vector<std::pair<Token, float>> tokens;
    for (const auto& entry : law.entries()) tokens.emplace_back(entry.token, entry.probability);
    return tokens;
  };
  EXPECT_EQ(tokens_of(2), tokens_of(0));
}

/// The best twice: in every pair of shares the lower one counts.
TEST(VocabularyPasses, FindTheLowestOfTheBest) {
  for (const int threads : {0, 2, 3}) {
    VocabularyPasses passes(team_of(threads));
    for (std::size_t first = 5; first < kLarge; first += 20'011) {
      std::vector<float> scores = random_logits(kLarge, 5);
      scores[first] = scores[kLarge - 1] = 50;
      EXPECT_EQ(passes.arg_max(scores), first) << threads << " threads";
    }
  }
}

TEST(VocabularyPasses, RefuseWhatIsNoNumberInAnyShare) {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto team = team_of(2);
  for (const double temperature : {0.0, 1.0}) {
    LogitsPipeline pipeline({.temperature = temperature, .team = team});
    Law law;
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), infinity})
      for (const std::size_t place : {std::size_t{0}, kLarge / 2 + 9, kLarge - 1}) {
        std::vector<float> logits = random_logits(kLarge, 6);
        logits[place] = bad;
        EXPECT_THROW(pipeline.law(logits, {}, law), ModelFileError) << place;
      }
    EXPECT_THROW(pipeline.law(std::vector<float>(kLarge, -infinity), {}, law), ModelFileError);
  }
}

TEST(VocabularyPasses, HaveKernelsThatAgreeInEveryTable) {
  const std::vector<float> logits = random_logits(1003, 7);
  const float largest = *std::ranges::max_element(logits);
  for (auto kernels = cpu::runnable_kernels(); *kernels; ++kernels) {
    std::vector<float> out(logits.size());
    EXPECT_EQ((*kernels)->largest(logits.data(), 1003), largest) << (*kernels)->name;
    EXPECT_EQ((*kernels)->largest(logits.data(), 0), -std::numeric_limits<float>::infinity());
    const double sum = (*kernels)->exponentials({.logits = logits.data(),
                                                 .size = 1003,
                                                 .top = largest,
                                                 .inverse_temperature = 0.5f,
                                                 .out = out.data()});
    double expected = 0;
    for (const float logit : logits) expected += std::exp((logit - largest) * 0.5f);
    EXPECT_NEAR(sum / expected, 1.0, 2e-6) << (*kernels)->name;
    const float last = out.back();
    (*kernels)->scale(out.data(), 1003, 0.25f);
    EXPECT_EQ(out.back(), last * 0.25f) << (*kernels)->name;
  }
}

}  // namespace
}  // namespace speclab::engines
