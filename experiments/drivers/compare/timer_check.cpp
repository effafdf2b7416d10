#include "experiments/drivers/compare/timer_check.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr double kSleepNs = 100e6, kSpinNs = 50e6;  // the names of the benchmarks say so
constexpr double kSleepTolerance = 0.01, kSpinTolerance = 0.02, kMostOverhead = 0.001;
constexpr int kRepetitions = 10;  // the sleep that the system ends soonest counts

const BenchResult& timer_result(const BenchOutput& output, const std::string& name,
                                const BenchProgram& program) {
  if (const BenchResult* result = output.find(name)) return *result;
  throw Error(ExitCode::invalid_measurement,
              fmt::format("{}: there is no benchmark '{}', which tests its clocks; allowed: a "
                          "suite_bench of this project",
                          program.path(), name));
}

}  // namespace

std::string TimerCheck::fault(double shortest_call_ns) const {
  if (!(std::abs(sleep_ratio - 1.0) <= kSleepTolerance))
    return fmt::format("a sleep of 100 ms takes {:.2f} ms; allowed: within 1 %",
                       100.0 * sleep_ratio);
  if (!(std::abs(spin_ratio - 1.0) <= kSpinTolerance))
    return fmt::format("50 ms of processor time are measured as {:.2f} ms; allowed: within 2 %",
                       50.0 * spin_ratio);
  if (!(overhead_ns <= kMostOverhead * shortest_call_ns))
    return fmt::format(
        "a call without work takes {:.1f} ns, the shortest {:.0f} ns; allowed: at most 0.1 % of it",
        overhead_ns, shortest_call_ns);
  return "";
}

TimerCheck check_timer(const BenchProgram& program) {
  const BenchOutput output = program.run({.filter = "^timer/", .repetitions = kRepetitions});
  return {.sleep_ratio = timer_result(output, "timer/sleep_100ms", program).wall_ns / kSleepNs,
          .spin_ratio = timer_result(output, "timer/spin_50ms", program).cpu_ns / kSpinNs,
          .overhead_ns = timer_result(output, "timer/empty", program).cpu_ns};
}

}  // namespace speclab::experiments
