#pragma once
// Measurements of two builds: times of pairs of processes, and counts of instructions.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/bench_rows.h"
#include "experiments/drivers/compare/bench_program.h"

namespace speclab::experiments {

struct PairPlan {
  std::vector<std::string> benchmarks;  ///< of both sides
  std::int64_t look = 1;
  int first_pair = 0;
  int pairs = 20;
  int repetitions = 10;    ///< of a process
  std::uint64_t seed = 1;  ///< of the order of the two sides
};

/// Seconds of measuring by family of benchmarks, all processes of both sides.
using FamilySeconds = std::map<std::string, double>;

/// Runs pairs of processes, base and head one after the other in a random order, a family of
/// benchmarks a process.
/// @param on_pair  gets the rows of a pair, all families, when it is done
/// @return how long the processes took
/// @throws Error(invalid_measurement) if a process fails or lacks a benchmark
FamilySeconds run_pairs(
    const BenchProgram& base, const BenchProgram& head, const PairPlan& plan,
    const std::function<void(const std::vector<analysis::BenchPairRow>&)>& on_pair);

/// Names by family, in the order given.
std::vector<std::vector<std::string>> families_of(const std::vector<std::string>& names);

/// How instructions can be counted here: "perf" where perf events are allowed, else "callgrind"
/// where valgrind is installed, else nothing.
std::optional<std::string> available_counter(const BenchProgram& program);

inline constexpr int kCountingRuns = 2;  ///< of each side
inline constexpr int kCountedSuites = 2 * kCountingRuns;

struct Counting {
  std::string counter;                  ///< "perf" or "callgrind"
  std::function<void()> after_suite{};  ///< called kCountedSuites times
};

/// Instructions of each benchmark. @throws Error(invalid_measurement) if a run fails or lacks a
/// benchmark
std::vector<analysis::BenchCountRow> count_instructions(const BenchProgram& base,
                                                        const BenchProgram& head,
                                                        const std::vector<std::string>& benchmarks,
                                                        const Counting& counting);

/// The totals of callgrind's files, in order. @param files  their contents @throws
/// Error(invalid_measurement) if one has none
std::vector<double> callgrind_totals(const std::vector<std::string>& files);

}  // namespace speclab::experiments
