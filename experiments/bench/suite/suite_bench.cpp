// The suite that `speclab compare` runs: the hot paths, a family a file, free of torch. Each
// benchmark does a fixed amount of work and says what came of it. SPECLAB_BENCH_EXTRA_WORK=0.05
// plants 5 % more work into all of them.
//
// By hand: suite_bench --benchmark_filter=^samplers/ --benchmark_repetitions=10

#include <benchmark/benchmark.h>
#include <speclab_revision.h>
#include <time.h>

#include "experiments/bench/bench_main.h"
#include "experiments/bench/suite/suite.h"

namespace speclab::bench {
namespace {

#if defined(__AVX512F__)
constexpr const char* kInstructionSet = "x86-64-v4";
#elif defined(__AVX2__)
constexpr const char* kInstructionSet = "x86-64-v3";
#else
constexpr const char* kInstructionSet = "x86-64";
#endif

// `speclab compare` knows these lengths. Results are not 0: Google Benchmark also divides by their
// mean.
constexpr long kSleepNs = 100'000'000, kSpinNs = 50'000'000;

std::int64_t processor_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::uint64_t sleep_once() {
  const timespec length{0, kSleepNs};
  return ::clock_nanosleep(CLOCK_MONOTONIC, 0, &length, nullptr) == 0 ? 1 : 2;
}

std::uint64_t spin_once() {
  const std::int64_t end = processor_ns() + kSpinNs;
  while (processor_ns() < end) {
  }
  return 1;
}

}  // namespace

void add_timer(const Suite& suite) {
  suite.add("timer/empty", [] { return [] { return std::uint64_t{1}; }; });
  suite.add("timer/sleep_100ms", [] { return sleep_once; }, 1);
  suite.add("timer/spin_50ms", [] { return spin_once; }, 1);
}

void run() {
  const Suite suite(suite_options_of_environment());
  for (const auto add :
       {add_verification, add_processors, add_samplers, add_trees, add_ngrams, add_tokenizer,
        add_simulator, add_parsers, add_decoding, add_device_round, add_timer})
    add(suite);
  benchmark::AddCustomContext("revision", SPECLAB_REVISION);
  benchmark::AddCustomContext("build", SPECLAB_BUILD_TYPE " " SPECLAB_COMPILER);
  benchmark::AddCustomContext("instruction_set", kInstructionSet);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();
}

}  // namespace speclab::bench
