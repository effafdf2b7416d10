#pragma once
// Verdicts of a suite of benchmarks from the rows that were measured.

#include <span>
#include <string>
#include <vector>

#include "analysis/gate/time_gate.h"
#include "analysis/tables/bench_rows.h"

namespace speclab::analysis {

/// Instructions may differ by this share before it counts, and between runs of the same binary by
/// this.
inline constexpr double kCountTolerance = 0.01, kCountSpread = 0.0001;

/// One benchmark under one measure.
struct GateLine {
  std::string benchmark;
  std::string measure;  ///< "time", "perf" or "callgrind"
  GateVerdict verdict = GateVerdict::invalid;
  double ratio = 1.0;    ///< head over base
  PairGateRow pairs{};   ///< of times
  std::string reason{};  ///< why it is INVALID
};

/// Times, as judge_pairs does. A benchmark whose sides worked out different things, or one side
/// different things in two processes, is INVALID and not in the family. @throws DataError if there
/// are too few pairs
std::vector<GateLine> judge_times(std::span<const BenchPairRow> rows, PairGateOptions options);

/// Instructions: SLOW above 1.01 times the base's, FAST below 1 / 1.01; INVALID where the work is
/// not the same, or runs of one binary differ by more than 0.01 %. Of several runs the least count.
std::vector<GateLine> judge_counts(std::span<const BenchCountRow> rows);

/// The worst of all lines.
GateVerdict verdict_of(std::span<const GateLine> lines);

}  // namespace speclab::analysis
