#include "experiments/bench/suite/suite.h"

#include <benchmark/benchmark.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>

#include "experiments/bench/suite/instruction_counter.h"
#include "sim/core/errors.h"

namespace speclab::bench {
namespace {

constexpr int kPermille = 1000;

struct Calls {
  const Work& work;
  std::uint64_t expected;   ///< of each
  int extra_permille;
};

/// @return 0 if every call gave what was expected. Instructions are counted between its begin and its end, by its name.
[[gnu::noinline]] std::uint64_t timed_calls(benchmark::State& state, const Calls& calls) {
  std::uint64_t difference = 0;
  int owed = 0;
  for (auto _ : state) {
    difference |= calls.work() ^ calls.expected;
    for (owed += calls.extra_permille; owed >= kPermille; owed -= kPermille) difference |= calls.work() ^ calls.expected;
  }
  return difference;
}

/// The first call fills caches and says what the others must give.
void run(benchmark::State& state, const Work& work, int extra_permille) {
  const Calls calls{work, work(), extra_permille};
  InstructionCounter counter;
  const std::uint64_t difference = timed_calls(state, calls);
  if (difference != 0) state.SkipWithError("calls differ in what they give");
  if (const auto instructions = counter.read()) state.counters["instructions"] = static_cast<double>(*instructions);
  state.counters["checksum"] = static_cast<double>(calls.expected & 0xFFFFFFFFu);  // a double holds 32 bits exactly
}

}  // namespace

void Suite::add(const std::string& name, const SetUp& set_up, int calls) const {
  const auto work = std::make_shared<std::optional<Work>>();
  benchmark::RegisterBenchmark(name.c_str(), [set_up, work, extra = extra_permille_](benchmark::State& state) {
    if (!*work) *work = set_up();
    run(state, **work, extra);
  })->Iterations(calls)->MeasureProcessCPUTime()->Unit(benchmark::kNanosecond);
}

int planted_extra_permille() {
  const char* text = std::getenv("SPECLAB_BENCH_EXTRA_WORK");
  if (!text) return 0;
  const std::string share(text);
  double value = -1.0;
  const auto [end, error] = std::from_chars(share.data(), share.data() + share.size(), value);
  if (error != std::errc() || end != share.data() + share.size() || !(value >= 0.0 && value <= 1.0))
    throw ConfigError("SPECLAB_BENCH_EXTRA_WORK = '" + escaped(share, 40) + "'; allowed: numbers from 0 to 1, the share of work to add");
  return static_cast<int>(std::lround(value * kPermille));
}

}  // namespace speclab::bench
