#include "sim/analytic/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/analytic/static_tree.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

BatchSetting setting(int batch, int context = 0) {
  return {.target = {.weight_bytes = 15e9, .parameters = 7.5e9, .kv_bytes_per_token = 131072},
          .draft = {.weight_bytes = 2.47e9, .parameters = 1.235e9, .kv_bytes_per_token = 32768},
          .device = {.bandwidth_bytes_per_s = 4.3e12, .flop_per_s = 788e12},
          .batch = batch,
          .context = context};
}

/// Mean of pick(tokens of B rounds) over every combination of outcomes.
double mean_over_outcomes(double rate, int length, int batch,
                          const std::function<int(int, int)>& pick) {
  const std::vector<double> pmf = tokens_per_round_pmf(rate, length);
  std::vector<double> law(pmf.size() + 1, 0.0);
  for (std::size_t t = 0; t < pmf.size(); ++t) law[t + 1] = pmf[t];
  std::vector<double> picked = law;
  for (int sequence = 1; sequence < batch; ++sequence) {
    std::vector<double> next(law.size(), 0.0);
    for (std::size_t a = 1; a < law.size(); ++a)
      for (std::size_t b = 1; b < law.size(); ++b)
        next[static_cast<std::size_t>(pick(static_cast<int>(a), static_cast<int>(b)))] +=
            picked[a] * law[b];
    picked = next;
  }
  double mean = 0.0;
  for (std::size_t t = 1; t < picked.size(); ++t) mean += static_cast<double>(t) * picked[t];
  return mean;
}

TEST(RaggedBatch, ExtremesAreMeansOverAllOutcomes) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform();
    const int length = values.integer(0, 8), batch = values.integer(1, 12);
    EXPECT_NEAR(
        batched_round_tokens_mean_max(rate, length, batch),
        mean_over_outcomes(rate, length, batch, [](int a, int b) { return std::max(a, b); }),
        1e-11);
    EXPECT_NEAR(
        batched_round_tokens_mean_min(rate, length, batch),
        mean_over_outcomes(rate, length, batch, [](int a, int b) { return std::min(a, b); }),
        1e-11);
  });
}

TEST(RaggedBatch, OfOneIsTheRoundAndOfManyItsExtremes) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform(0.05, 0.95);
    const int length = values.integer(1, 8);
    EXPECT_NEAR(batched_round_tokens_mean_max(rate, length, 1), tokens_per_round(rate, length),
                1e-12);
    EXPECT_NEAR(batched_round_tokens_mean_min(rate, length, 1), tokens_per_round(rate, length),
                1e-12);
    EXPECT_NEAR(padding_waste_ratio(rate, length, 1), 0.0, 1e-12);
    EXPECT_NEAR(batched_round_tokens_mean_min(rate, length, 2000), 1.0, 1e-12);
  });
  EXPECT_NEAR(batched_round_tokens_mean_max(0.5, 4, 2000), 5.0, 1e-12);
  EXPECT_NEAR(padding_waste_ratio(0.5, 4, 2000), 1.0 - 1.9375 / 5.0, 1e-12);
  EXPECT_EQ(batched_round_tokens_mean_max(1.0, 4, 7), 5.0);
  EXPECT_EQ(batched_round_tokens_mean_max(0.0, 4, 7), 1.0);
  EXPECT_EQ(padding_waste_ratio(1.0, 4, 7), 0.0);
}

TEST(BatchSpeedup, OfAChainIsTheSameByScalarCostsAndByForwards) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform();
    const int length = values.integer(0, 8);
    const BatchSetting served = setting(values.integer(1, 400), values.integer(0, 9000));
    const double by_costs = predicted_batch_speedup(rate, length, served);
    EXPECT_NEAR(
        predicted_batch_speedup(tokens_per_round(rate, length), BatchDraft::chain(length), served),
        by_costs, 1e-12);
    EXPECT_NEAR(by_costs, predicted_speedup(rate, length, batch_costs(served, length)), 1e-14);
  });
}

TEST(BatchDraft, CountsTheRowsOfEachForward) {
  const BatchDraft tree = BatchDraft::tree(TreeShape::parse("3x2x1", 0));
  EXPECT_EQ(tree.rows_of_forward, (std::vector<int>{1, 3, 6}));
  EXPECT_EQ(tree.verify_rows, 1 + 3 + 6 + 6);
  EXPECT_EQ(BatchDraft::chain(3).rows_of_forward, (std::vector<int>{1, 1, 1}));
  EXPECT_TRUE(BatchDraft::chain(0).rows_of_forward.empty());
}

TEST(CrossoverBatch, IsTheFirstAtWhichTheSpeedupIsGone) {
  const BatchDraft chain = BatchDraft::chain(4);
  const double tokens = tokens_per_round(0.8, 4);
  const auto crossover = crossover_batch(tokens, chain, setting(1), 1024);
  ASSERT_TRUE(crossover.has_value());
  EXPECT_LE(predicted_batch_speedup(tokens, chain, setting(*crossover)), 1.0);
  for (int batch = 1; batch < *crossover; ++batch)
    EXPECT_GT(predicted_batch_speedup(tokens, chain, setting(batch)), 1.0) << batch;
}

TEST(CrossoverBatch, ComesEarlierForTreesAndNotAtAllWithLongContext) {
  const std::vector<double> ranks{0.8, 0.1, 0.05};
  const TreeShape wide = sequoia_optimal_tree(ranks, {32, 6}).shape;
  const double wide_tokens = tree_tokens_per_round(wide, ranks),
               chain_tokens = tokens_per_round(0.8, 4);
  const auto of_chain = crossover_batch(chain_tokens, BatchDraft::chain(4), setting(1), 1024);
  EXPECT_LT(crossover_batch(wide_tokens, BatchDraft::tree(wide), setting(1), 1024), of_chain);
  EXPECT_FALSE(
      crossover_batch(chain_tokens, BatchDraft::chain(4), setting(1, 32000), 1024).has_value());
  EXPECT_EQ(crossover_batch(1.0, BatchDraft::chain(4), setting(1), 8), 1)
      << "a useless draft never pays";
}

TEST(Batch, RefusesArgumentsOutOfRange) {
  for (const auto formula :
       {batched_round_tokens_mean_max, batched_round_tokens_mean_min, padding_waste_ratio}) {
    expect_refused([&](double rate) { formula(rate, 3, 4); }, kNoProbability);
    EXPECT_THROW(formula(0.5, -1, 4), ContractError);
    expect_refused([&](int batch) { formula(0.5, 3, batch); }, {0, -1});
  }
  expect_refused([](double rate) { predicted_batch_speedup(rate, 3, setting(4)); }, kNoProbability);
  EXPECT_THROW(predicted_batch_speedup(0.5, -1, setting(4)), ContractError);
  expect_refused([](int batch) { predicted_batch_speedup(0.5, 3, setting(batch)); }, {0, -1});
  EXPECT_THROW(predicted_batch_speedup(0.5, 3, setting(4, -1)), ContractError);
  expect_refused(
      [](double tokens) { predicted_batch_speedup(tokens, BatchDraft::chain(3), setting(4)); },
      {0.9, 4.1, kNan});
  expect_refused(
      [](int max_batch) { crossover_batch(2.0, BatchDraft::chain(3), setting(1), max_batch); },
      {0, -1});
  EXPECT_THROW(batch_costs(setting(4), -1), ContractError);
}

}  // namespace
}  // namespace speclab::sim
