#pragma once

namespace speclab::bench {

/// Registers, runs and clears the benchmarks of a program. The main function in bench_main.cpp
/// calls it.
void run();

}  // namespace speclab::bench
