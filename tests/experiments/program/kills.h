#pragma once
// Commands that are killed or stopped at random moments and given again until they end.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include "tests/support/shell.h"

namespace speclab::testing {

struct Signal {
  std::string name;  ///< "KILL"
  int exit_code;     ///< of a command that got it
};

inline const Signal kKill{"KILL", 137}, kInterrupt{"INT", 130}, kTerminate{"TERM", 143};

/// Stands before a command, which then gets the signal after some seconds. What takes longer than
/// five seconds to stop is killed, which is another exit code.
inline std::string stopping_at_once(const Signal& signal, double seconds) {
  return fmt::format("timeout --preserve-status -k 5 -s {} {:.3f} ", signal.name, seconds);
}

/// The same for a command that has a piece of work to end first: five seconds of its own work, and
/// not of a machine that may be busy.
inline std::string stopping_after_its_work(const Signal& signal, double seconds) {
  return fmt::format(SPECLAB_SOURCE_DIR "/tests/experiments/program/stop_after.py {} {:.3f} ",
                     signal.name, seconds);
}

/// Gives a command until it ends by itself: when a random time has passed it gets the signal. The
/// times grow, so that a machine on which nothing is kept in the first of them comes to an end too.
/// @param run  with what has to stand before the command @returns how many signals it took
inline int run_to_the_end(const std::function<Outcome(const std::string& wrapper)>& run,
                          const Signal& signal, double longest_seconds, std::mt19937& random,
                          std::string (*stopping)(const Signal&, double) = stopping_at_once) {
  for (int signals = 0;; ++signals) {
    const double seconds =
        std::uniform_real_distribution(0.0, longest_seconds * (1 + signals / 20.0))(random);
    const Outcome outcome = run(stopping(signal, seconds));
    if (outcome.code == 0) return signals;
    EXPECT_EQ(outcome.code, signal.exit_code) << outcome.output;
    if (outcome.code != signal.exit_code) return signals;
  }
}

}  // namespace speclab::testing
