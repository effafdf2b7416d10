// The suite that `speclab compare` runs: the hot paths, a family a file, free of torch. Each
// benchmark does a fixed amount of work and says what came of it. SPECLAB_BENCH_EXTRA_WORK=0.05
// plants 5 % more work into all of them.
//
// By hand: suite_bench --benchmark_filter=^samplers/ --benchmark_repetitions=10

#include <benchmark/benchmark.h>
#include <speclab_revision.h>

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

}  // namespace

void run() {
  const Suite suite(suite_options_of_environment());
  for (const auto add : {add_verification, add_processors, add_samplers, add_trees, add_ngrams,
                         add_tokenizer, add_simulator, add_parsers, add_decoding, add_timer})
    add(suite);
  benchmark::AddCustomContext("revision", SPECLAB_REVISION);
  benchmark::AddCustomContext("build", SPECLAB_BUILD_TYPE " " SPECLAB_COMPILER);
  benchmark::AddCustomContext("instruction_set", kInstructionSet);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();
}

}  // namespace speclab::bench
