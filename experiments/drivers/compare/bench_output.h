#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace speclab::experiments {

/// One benchmark of one process: the least of its repetitions.
struct BenchResult {
  std::string name;
  double cpu_ns = 0.0;  ///< processor time of a call
  double wall_ns = 0.0;
  std::int64_t checksum = 0;
  std::optional<double> instructions{};  ///< where perf events were there
};

/// What a benchmark binary printed.
struct BenchOutput {
  std::string revision, build,
      instruction_set;               ///< what the suite says of itself; empty where it does not
  std::string machine;               ///< processors and their clock, as Google Benchmark sees them
  std::vector<BenchResult> results;  ///< in the order of running

  /// Nothing if it is not there.
  const BenchResult* find(std::string_view name) const;
};

/// Reads Google Benchmark's JSON. Names end before "/iterations:".
/// @param where  whose output it is, for messages
/// @throws Error(invalid_measurement) if it is no such JSON, a benchmark failed or is not finite
/// and positive, or its repetitions differ in what they worked out
BenchOutput parse_bench_output(std::string_view text, const std::string& where);

/// The part of a benchmark's name before the first slash.
std::string family_of(const std::string& benchmark);

}  // namespace speclab::experiments
