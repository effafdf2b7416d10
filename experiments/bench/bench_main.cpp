#include "experiments/bench/bench_main.h"

#include <benchmark/benchmark.h>

#include <cstdio>

#include "sim/system/errors.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return static_cast<int>(speclab::ExitCode::config);
  try {
    speclab::bench::run();
    return 0;
  } catch (const speclab::Error& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return static_cast<int>(error.code());
  }
}
