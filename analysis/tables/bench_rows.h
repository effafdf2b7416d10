#pragma once
// What `speclab compare` measured of two builds: pairs.csv and counts.csv of its folder, from which
// its verdicts can be drawn again.

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/tables/schema.h"

namespace speclab::analysis {

/// One benchmark in one process of each side, run one after the other.
struct BenchPairRow {
  std::string benchmark;
  std::int64_t pair = 0;   ///< from 0, in the order of measuring
  std::int64_t look = 1;   ///< 1, or 2 where it was measured because the first look left it unclear
  bool base_first = true;  ///< which side ran first
  double base_ns = 0.0;    ///< processor time of a call, the least of the repetitions
  double head_ns = 0.0;
  double base_wall_ns = 0.0;  ///< time on the wall, likewise; shown, not judged
  double head_wall_ns = 0.0;
  std::int64_t base_checksum = 0;  ///< of what a call works out, 32 bits
  std::int64_t head_checksum = 0;
};

/// Instructions of one benchmark, in one run of each side.
struct BenchCountRow {
  std::string benchmark;
  std::string counter;          ///< "perf" or "callgrind"
  std::string instruction_set;  ///< what the binaries were built for
  std::int64_t run = 0;
  double base_instructions = 0.0;
  double head_instructions = 0.0;
  std::int64_t base_checksum = 0;
  std::int64_t head_checksum = 0;
};

/// pairs.csv and counts.csv
const Schema<BenchPairRow>& bench_pairs_table();
const Schema<BenchCountRow>& bench_counts_table();

/// Pairs of one benchmark that a file may hold.
inline constexpr std::int64_t kMostBenchPairs = 10'000;

/// @throws DataError naming file, line and column; also if a time or a count is not positive, if
/// the pairs of a benchmark do not follow one another, or
///         its runs have several counters
std::vector<BenchPairRow> read_bench_pairs(const std::string& path);
std::vector<BenchCountRow> read_bench_counts(const std::string& path);

}  // namespace speclab::analysis
