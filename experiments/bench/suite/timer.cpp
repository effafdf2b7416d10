#include <time.h>

#include "experiments/bench/suite/suite.h"

namespace speclab::bench {
namespace {

// `speclab compare` knows these lengths. Results are not 0: Google Benchmark also divides by their
// mean.
constexpr long kSleepNs = 100'000'000, kSpinNs = 50'000'000;

std::int64_t processor_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::uint64_t sleep_once() {
  const timespec length{0, kSleepNs};
  return ::clock_nanosleep(CLOCK_MONOTONIC, 0, &length, nullptr) == 0 ? 1 : 2;
}

std::uint64_t spin_once() {
  const std::int64_t end = processor_ns() + kSpinNs;
  while (processor_ns() < end) {
  }
  return 1;
}

}  // namespace

void add_timer(const Suite& suite) {
  suite.add("timer/empty", [] { return [] { return std::uint64_t{1}; }; });
  suite.add("timer/sleep_100ms", [] { return sleep_once; }, 1);
  suite.add("timer/spin_50ms", [] { return spin_once; }, 1);
}

}  // namespace speclab::bench
