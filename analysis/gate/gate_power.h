#pragma once
// What a gate on times would do, drawn from pairs of a build with itself into which slow-downs are
// planted afterwards.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/gate/time_gate.h"
#include "analysis/tables/bench_rows.h"

namespace speclab::analysis {

struct GatePowerOptions {
  PairGateOptions gate{};
  int gates = 1000;                                      ///< drawn, each of other pairs
  std::vector<double> slowdowns{0.0, 0.03, 0.05, 0.10};  ///< planted
  std::uint64_t seed = 1;
};

/// Of one planted slow-down, over the gates drawn; each benchmark has it alone, the others have
/// none.
struct GatePowerRow {
  double slowdown = 0.0;
  double caught_mean = 0.0;   ///< share of SLOW, over gates and benchmarks
  double caught_least = 0.0;  ///< of the benchmark with the lowest
  std::string least_benchmark{};
  double ambiguous_mean = 0.0;  ///< share that stays AMBIGUOUS
};

struct GatePower {
  std::size_t pairs = 0;  ///< recorded
  std::size_t benchmarks = 0;
  int gates = 0;
  double alarms = 0.0;  ///< share of gates without a slow-down in which any benchmark is SLOW
  double ambiguous_gates = 0.0;  ///< in which none is, and any is AMBIGUOUS
  std::vector<GatePowerRow> rows{};
  double caught_with_90_percent = 0.0;  ///< least slow-down, in steps of 0.005 up to 0.2, of which
                                        ///< 90 % are caught over all benchmarks; 0 if none is
  double each_caught_with_90_percent = 0.0;  ///< the same of the benchmark with the lowest share
};

/// A gate takes its pairs without replacement; all benchmarks take the same, so that a bad moment
/// strikes all of them.
/// @param rows  of one build with itself, every benchmark in every pair, at least twice
/// options.gate.pairs of them
/// @throws DataError if they are not
GatePower gate_power(std::span<const BenchPairRow> rows, const GatePowerOptions& options);

}  // namespace speclab::analysis
