#pragma once
#include <benchmark/benchmark.h>

#include <cstdio>

#include "sim/system/errors.h"

namespace speclab::bench {

/// The main function of a benchmark. @param run  registers, runs and clears the benchmarks
/// @return exit code
inline int run_benchmarks(int argc, char** argv, void (*run)()) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return static_cast<int>(ExitCode::config);
  try {
    run();
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return static_cast<int>(error.code());
  }
}

}  // namespace speclab::bench
