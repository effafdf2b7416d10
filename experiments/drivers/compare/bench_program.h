#pragma once
#include <string>
#include <utility>
#include <vector>

#include "experiments/drivers/compare/bench_output.h"

namespace speclab::experiments {

/// Where a process lies in memory. Times are taken at random places, so that no place favours a
/// side; counts at fixed ones, so that they depend on the binary alone (a system may refuse to fix
/// them).
enum class Addresses { random, fixed };

/// A command as it is run for a measurement.
struct MeasuredCommand {
  std::vector<std::string> words;  ///< the first is found on the path
  std::vector<std::pair<std::string, std::string>> environment{};
  Addresses addresses = Addresses::random;
  int limit_s = 600;
};

/// Runs it in a process of its own and waits for its end.
/// @return standard output @throws Error(invalid_measurement) if it fails, prints too much or takes
/// longer than the limit
std::string measured_output(const MeasuredCommand& command);

/// What one run of a suite is to do.
struct BenchRun {
  std::string filter;  ///< regular expression of names
  int repetitions = 1;
  int calls = 0;  ///< of a repetition; 0: as the suite has it
  Addresses addresses = Addresses::random;
};

/// The benchmark suite of one build.
class BenchProgram {
 public:
  /// @param planted  share of work to add to each benchmark: a slow-down that a gate should find
  BenchProgram(std::string path, double planted) : path_(std::move(path)), planted_(planted) {}

  const std::string& path() const { return path_; }
  /// Names of its benchmarks, but for those of the family timer. @throws Error(invalid_measurement)
  std::vector<std::string> names() const;
  /// One process. @throws Error(invalid_measurement)
  BenchOutput run(const BenchRun& run) const;
  /// The command of that process, behind other words.
  MeasuredCommand command(const BenchRun& run, std::vector<std::string> before = {}) const;

 private:
  std::string path_;
  double planted_;
};

/// A filter of exactly those benchmarks.
std::string filter_of(const std::vector<std::string>& names);

/// What the clocks of a suite made of what is known.
struct TimerCheck {
  double sleep_ratio = 0.0;  ///< time on the wall of a sleep over its length
  double spin_ratio =
      0.0;  ///< processor time of a loop that ends after a length of it, over that length
  double overhead_ns = 0.0;  ///< of a call without work

  /// Why times measured so cannot be trusted; empty if they can. Sleep within 1 %, spin within 2 %,
  /// overhead below 0.1 % of the shortest call.
  std::string fault(double shortest_call_ns) const;
};

/// Runs the family timer of a suite. @throws Error(invalid_measurement) if it has none
TimerCheck check_timer(const BenchProgram& program);

}  // namespace speclab::experiments
