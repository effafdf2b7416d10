// What `speclab predict` computes, without the start of a program and without printing: a table
// over lengths with its optimum, which must be that of the closed form before anything is timed.
// The bar: an answer in 50 ms, program and all.
//
// What it should cost: a row of the table is a handful of sums by doubling, each a dozen steps at
// most; intervals ask for both ends of each. A tree is best-first growth over budget x children
// nodes of a heap.
//
// For figures: taskset -c 1 predict_bench --benchmark_repetitions=10
// --benchmark_report_aggregates_only=true

#include <benchmark/benchmark.h>

#include <string>

#include "experiments/bench/bench_main.h"
#include "experiments/drivers/predict/prediction.h"
#include "sim/analytic/speedup.h"

namespace speclab::bench {
namespace {

using experiments::PredictOptions;

void expect_optimum_of_the_closed_form() {
  const int length = experiments::predict({.acceptance_rate = "0.8", .cost_ratio = "0.05"})
                         .optimum.at.speculation_length;
  if (length != sim::optimal_speculation_length(0.8, 0.05, 1000))
    throw Error(ExitCode::invalid_measurement, "predict and the closed form differ");
}

void add(const std::string& name, const PredictOptions& options) {
  benchmark::RegisterBenchmark(("predict/" + name).c_str(), [options](benchmark::State& state) {
    for (auto _ : state)
      benchmark::DoNotOptimize(experiments::predict(options).optimum.at.speculation_length);
  })->Unit(benchmark::kMicrosecond);
}

}  // namespace

void run() {
  expect_optimum_of_the_closed_form();
  add("ratios", {.acceptance_rate = "0.8", .cost_ratio = "0.05"});
  add("intervals", {.acceptance_rate = "0.8:0.75:0.85",
                    .cost_ratio = "0.05:0.04:0.06",
                    .verify_cost_ratio = "1.1:1.0:1.2"});
  add("intervals_to_4096", {.acceptance_rate = "0.8:0.75:0.85",
                            .cost_ratio = "0.05:0.04:0.06",
                            .verify_cost_ratio = "1.1:1.0:1.2",
                            .max_length = 4096});
  add("tree", {.cost_ratio = "0.05",
               .tree_budget = 64,
               .tree_levels = 16,
               .rank_acceptance = "0.70,0.11,0.04,0.03,0.01"});
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();
}

}  // namespace speclab::bench
