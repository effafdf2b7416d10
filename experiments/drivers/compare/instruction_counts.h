#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/bench_rows.h"
#include "experiments/drivers/compare/bench_program.h"

namespace speclab::experiments {

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
