#pragma once
// The gate on times: is the head slower than the base, judged from pairs of processes that ran one
// after the other? Its verdicts on a suite of benchmarks, and its power.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/gate/verdict.h"
#include "analysis/tables/bench_rows.h"

namespace speclab::analysis {

/// One benchmark in one process of each side, each the least of its repetitions, nanoseconds > 0.
struct TimePair {
  double base_ns;
  double head_ns;
};

/// A benchmark with its pairs in the order of measuring.
struct TimedBenchmark {
  std::string name;
  std::vector<TimePair> pairs;
};

struct PairGateOptions {
  double least_ratio = 1.02;  ///< of times; below it a difference does not count
  double alpha = 0.01;        ///< chance that a suite without differences is called SLOW
  double first_look =
      0.8;  ///< share of alpha spent on the first look; the rest is for what was extended
  int pairs =
      20;  ///< of the first look; a benchmark that stays unclear is extended once to twice as many
};

/// What the pairs of one benchmark say.
struct PairGateRow {
  std::string benchmark;
  GateVerdict verdict = GateVerdict::invalid;
  int pairs = 0;
  int slower = 0;            ///< pairs in which the head took longer
  int faster = 0;            ///< and less long
  double ratio = 1.0;        ///< median of head over base
  double floor_ratio = 1.0;  ///< what the ratio must exceed: least_ratio, or three standard errors
                             ///< of the median log-ratio
  double p_slower = 1.0;     ///< sign test, Holm-adjusted over the suite
  double p_faster = 1.0;
};

/// SLOW: the median ratio is above the floor and more pairs than chance allows are slower; FAST
/// likewise; AMBIGUOUS: above the floor, and not shown; else SAME. A benchmark with twice the pairs
/// that was AMBIGUOUS after the first look is judged by all of them at the level that is left.
/// @throws DataError if a benchmark has less than options.pairs pairs, or so many cannot show
/// anything among so many benchmarks;
///         ContractError if a time is not positive
/// @source sign test and Holm: significance.h; spread: 1.4826 times the median absolute
/// deviation
std::vector<PairGateRow> judge_pairs(std::span<const TimedBenchmark> benchmarks,
                                     const PairGateOptions& options);

/// The least pairs of a first look that can show something among so many benchmarks.
int least_pairs(std::size_t num_benchmarks, const PairGateOptions& options);

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
