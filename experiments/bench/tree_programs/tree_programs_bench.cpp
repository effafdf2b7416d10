// The programs that find token trees: the dynamic program over nodes, levels and children, and
// best-first growth, which must give the same value before either is timed. The bar: 512 nodes on
// 32 levels in a second.
//
// What it should cost: the program tries, for each of n nodes, l levels and b children, each way to
// give the last child m nodes: about n^2 / 2 * l * b steps of a multiplication, an addition and a
// comparison; 512, 32 and 5 make 21 million, 20 to 60 ms at one to three cycles a step. Growth puts
// at most n (1 + b) nodes through a heap: 512 * 6 * 9 comparisons, below 0.1 ms.
//
// For figures: taskset -c 1 tree_programs_bench --benchmark_repetitions=10
// --benchmark_report_aggregates_only=true

#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "experiments/bench/bench_main.h"
#include "sim/analytic/static_tree.h"
#include "sim/analytic/tree_families.h"

namespace speclab::bench {
namespace {

// Chances of SpecInfer's table 1 (CIP, greedy), whose differences they are.
const std::vector<double> kRanks{0.70, 0.11, 0.04, 0.03, 0.01};

void expect_equal_values(const sim::TreeBudget& budget) {
  const double program = sim::sequoia_optimal_tree(kRanks, budget).tokens_per_round,
               grown = sim::best_first_tree(kRanks, budget).tokens_per_round;
  if (!(std::abs(program - grown) <= 1e-12 * program))
    throw Error(ExitCode::invalid_measurement, "the program and the growth of trees differ");
}

void add(const sim::TreeBudget& budget) {
  expect_equal_values(budget);
  const std::string size =
      "/nodes:" + std::to_string(budget.nodes) + "/levels:" + std::to_string(budget.levels);
  benchmark::RegisterBenchmark(("sequoia_optimal_tree" + size).c_str(), [budget](benchmark::State&
                                                                                     state) {
    for (auto _ : state)
      benchmark::DoNotOptimize(sim::sequoia_optimal_tree(kRanks, budget).tokens_per_round);
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(("best_first_tree" + size).c_str(), [budget](
                                                                       benchmark::State& state) {
    for (auto _ : state)
      benchmark::DoNotOptimize(sim::best_first_tree(kRanks, budget).tokens_per_round);
  })->Unit(benchmark::kMillisecond);
}

}  // namespace

void run() {
  for (const sim::TreeBudget& budget :
       {sim::TreeBudget{16, 8}, sim::TreeBudget{64, 16}, sim::TreeBudget{512, 32}})
    add(budget);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();
}

}  // namespace speclab::bench
