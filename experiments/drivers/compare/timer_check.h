#pragma once
#include <string>

#include "experiments/drivers/compare/bench_program.h"

namespace speclab::experiments {

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
