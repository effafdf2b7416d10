#include "experiments/bench/suite/suite.h"

#include <benchmark/benchmark.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>

#include "sim/system/errors.h"

namespace speclab::bench {
namespace {

/// Instructions that this thread retires in user mode from here on, where the system lets a process
/// count them.
class InstructionCounter {
 public:
  InstructionCounter();
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  /// Since the beginning; nothing where they cannot be counted, or were not all the time.
  std::optional<std::uint64_t> read() const;

 private:
  int descriptor_;
};

/// @return -1 where there is no such counter or it is not allowed
int open_counter() {
  perf_event_attr wanted{};
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.size = sizeof(wanted);
  wanted.config = PERF_COUNT_HW_INSTRUCTIONS;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  constexpr pid_t kThisThread = 0;
  constexpr int kAnyCpu = -1, kNoGroup = -1;
  return static_cast<int>(::syscall(SYS_perf_event_open, &wanted, kThisThread, kAnyCpu, kNoGroup,
                                    PERF_FLAG_FD_CLOEXEC));
}

struct Reading {
  std::uint64_t count, enabled_ns, running_ns;
};

InstructionCounter::InstructionCounter() : descriptor_(open_counter()) {}

InstructionCounter::~InstructionCounter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<std::uint64_t> InstructionCounter::read() const {
  Reading reading{};
  if (descriptor_ < 0 || ::read(descriptor_, &reading, sizeof(reading)) != sizeof(reading))
    return std::nullopt;
  if (reading.count == 0 || reading.enabled_ns != reading.running_ns) return std::nullopt;
  return reading.count;
}

constexpr int kPermille = 1000;

struct Calls {
  const Work& work;
  std::uint64_t expected;  ///< of each
  int extra_permille;
};

// Callgrind counts within timed_calls and writes down what it has before report_calls, by their
// names: both stay functions of their own.

/// @return 0 if every call gave what was expected
[[gnu::noinline]] std::uint64_t timed_calls(benchmark::State& state, const Calls& calls) {
  std::uint64_t difference = 0;
  int owed = 0;
  for (auto _ : state) {
    difference |= calls.work() ^ calls.expected;
    for (owed += calls.extra_permille; owed >= kPermille; owed -= kPermille)
      difference |= calls.work() ^ calls.expected;
  }
  return difference;
}

[[gnu::noinline]] void report_calls(benchmark::State& state, const Calls& calls,
                                    std::uint64_t difference) {
  if (difference != 0) state.SkipWithError("calls differ in what they give");
  state.counters["checksum"] =
      static_cast<double>(calls.expected & 0xFFFFFFFFu);  // a double holds 32 bits exactly
}

/// The first call fills caches and says what the others must give.
void run(benchmark::State& state, const Work& work, int extra_permille) {
  const Calls calls{work, work(), extra_permille};
  const InstructionCounter counter;
  const std::uint64_t difference = timed_calls(state, calls);
  const auto instructions = counter.read();
  report_calls(state, calls, difference);
  if (instructions) state.counters["instructions"] = static_cast<double>(*instructions);
}

/// Nothing where the variable is not set.
template <typename Number>
std::optional<Number> number_in(const char* variable, Number least, Number most) {
  const char* found = std::getenv(variable);
  if (!found) return std::nullopt;
  const std::string_view text(found);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() ||
      !(value >= least && value <= most))
    throw ConfigError(std::string(variable) + " = '" + escaped(text, 40) +
                      "'; allowed: numbers from " + std::to_string(least) + " to " +
                      std::to_string(most));
  return value;
}

}  // namespace

void Suite::add(const std::string& name, const SetUp& set_up, int calls) const {
  const auto work = std::make_shared<std::optional<Work>>();
  benchmark::RegisterBenchmark(
      name.c_str(),
      [set_up, work, extra = options_.extra_permille](benchmark::State& state) {
        if (!*work) *work = set_up();
        run(state, **work, extra);
      })
      ->Iterations(calls)
      ->MeasureProcessCPUTime()
      ->Unit(benchmark::kNanosecond);
}

SuiteOptions suite_options_of_environment() {
  SuiteOptions options;
  if (const auto share = number_in("SPECLAB_BENCH_EXTRA_WORK", 0.0, 1.0))
    options.extra_permille = static_cast<int>(std::lround(*share * kPermille));
  if (const auto calls = number_in("SPECLAB_BENCH_CALLS", 1, 100'000)) options.calls = *calls;
  return options;
}

}  // namespace speclab::bench
