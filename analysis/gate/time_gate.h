#pragma once
// The gate on times: is the head slower than the base, judged from pairs of processes that ran one
// after the other?

#include <span>
#include <string>
#include <vector>

#include "analysis/gate/verdict.h"

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

}  // namespace speclab::analysis
