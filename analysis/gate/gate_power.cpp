#include "analysis/gate/time_gate.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "sim/core/rng_stream.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

constexpr double kStep = 0.005, kMostSlowdown = 0.2, kWanted = 0.9;

/// Benchmarks with all pairs of the first look, in the order of measuring.
std::vector<TimedBenchmark> recorded(std::span<const BenchPairRow> rows) {
  std::map<std::string, std::size_t> places;
  std::vector<TimedBenchmark> benchmarks;
  for (const BenchPairRow& row : rows) {
    if (row.look != 1) continue;
    const auto [place, is_new] = places.try_emplace(row.benchmark, benchmarks.size());
    if (is_new) benchmarks.push_back({row.benchmark, {}});
    benchmarks[place->second].pairs.push_back({row.base_ns, row.head_ns});
  }
  return benchmarks;
}

/// Draws gates from recorded pairs and plants slow-downs.
class GateDraws {
 public:
  GateDraws(std::vector<TimedBenchmark> benchmarks, const GatePowerOptions& options)
      : benchmarks_(std::move(benchmarks)),
        options_(options),
        drawn_(2 * static_cast<std::size_t>(options.gate.pairs)) {
    if (benchmarks_.empty())
      throw DataError("there are no pairs; allowed: the rows of a gate of a build with itself");
    for (const TimedBenchmark& benchmark : benchmarks_)
      if (benchmark.pairs.size() != benchmarks_.front().pairs.size() ||
          benchmark.pairs.size() < drawn_)
        throw DataError("benchmark '" + escaped(benchmark.name) + "' has " +
                        std::to_string(benchmark.pairs.size()) + " pairs; allowed: at least " +
                        std::to_string(drawn_) + ", and as many as the others");
  }

  /// Benchmarks with the pairs of gate number `gate`.
  std::vector<TimedBenchmark> gate(std::uint32_t gate) const {
    std::vector<std::size_t> order(benchmarks_.front().pairs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const RngStream stream(options_.seed);
    for (std::uint32_t i = 0; i < drawn_; ++i) {
      const double left = static_cast<double>(order.size() - i);
      std::swap(order[i], order[i + static_cast<std::size_t>(
                                        stream.uniform({gate, i, Purpose::bootstrap, 0}) * left)]);
    }
    std::vector<TimedBenchmark> suite;
    for (const TimedBenchmark& benchmark : benchmarks_) {
      suite.push_back({benchmark.name, {}});
      for (std::size_t i = 0; i < drawn_; ++i)
        suite.back().pairs.push_back(benchmark.pairs[order[i]]);
    }
    return suite;
  }

  GateVerdict verdict_with(const std::vector<TimedBenchmark>& suite, std::size_t at,
                           double slowdown) const;
  std::size_t size() const { return benchmarks_.size(); }
  std::size_t pairs() const { return benchmarks_.front().pairs.size(); }
  const std::string& name(std::size_t at) const { return benchmarks_[at].name; }

 private:
  std::vector<TimedBenchmark> benchmarks_;
  const GatePowerOptions& options_;
  std::size_t drawn_;
};

/// Of a suite of which one benchmark is slower: that one, in a family of its size. The others,
/// which are not slower, hardly ever are rejected before it, so Holm's level for it is
/// Bonferroni's, which is never more lenient.
GateVerdict GateDraws::verdict_with(const std::vector<TimedBenchmark>& suite, std::size_t at,
                                    double slowdown) const {
  TimedBenchmark slower = suite[at];
  for (TimePair& pair : slower.pairs) pair.head_ns *= 1.0 + slowdown;
  PairGateOptions alone = options_.gate;
  alone.alpha /= static_cast<double>(suite.size());
  return judge_pairs(std::span(&slower, 1), alone).front().verdict;
}

/// Shares by benchmark.
GatePowerRow power_row(const GateDraws& draws, const GatePowerOptions& options,
                       const std::vector<std::vector<TimedBenchmark>>& gates, double slowdown) {
  GatePowerRow row{.slowdown = slowdown, .caught_least = 2.0};
  const double n = static_cast<double>(options.gates);
  for (std::size_t at = 0; at < draws.size(); ++at) {
    int slow = 0, ambiguous = 0;
    for (const auto& gate : gates) {
      const GateVerdict verdict = draws.verdict_with(gate, at, slowdown);
      slow += verdict == GateVerdict::slow, ambiguous += verdict == GateVerdict::ambiguous;
    }
    row.caught_mean += slow / n / static_cast<double>(draws.size());
    row.ambiguous_mean += ambiguous / n / static_cast<double>(draws.size());
    if (slow / n < row.caught_least)
      row.caught_least = slow / n, row.least_benchmark = draws.name(at);
  }
  return row;
}

void count_alarms(const GatePowerOptions& options,
                  const std::vector<std::vector<TimedBenchmark>>& gates, GatePower& power) {
  for (const auto& gate : gates) {
    std::vector<GateVerdict> verdicts;
    for (const PairGateRow& row : judge_pairs(gate, options.gate)) verdicts.push_back(row.verdict);
    power.alarms += worst(verdicts) == GateVerdict::slow ? 1.0 / options.gates : 0.0;
    power.ambiguous_gates += worst(verdicts) == GateVerdict::ambiguous ? 1.0 / options.gates : 0.0;
  }
}

void find_least_caught(const GateDraws& draws, const GatePowerOptions& options,
                       const std::vector<std::vector<TimedBenchmark>>& gates, GatePower& power) {
  for (int step = 1; step * kStep <= kMostSlowdown && power.each_caught_with_90_percent == 0.0;
       ++step) {
    const GatePowerRow row = power_row(draws, options, gates, step * kStep);
    if (row.caught_mean >= kWanted && power.caught_with_90_percent == 0.0)
      power.caught_with_90_percent = row.slowdown;
    if (row.caught_least >= kWanted) power.each_caught_with_90_percent = row.slowdown;
  }
}

}  // namespace

GatePower gate_power(std::span<const BenchPairRow> rows, const GatePowerOptions& options) {
  SPECLAB_EXPECT(options.gates >= 1, "gates must be at least 1");
  const GateDraws draws(recorded(rows), options);
  std::vector<std::vector<TimedBenchmark>> gates;
  for (int i = 0; i < options.gates; ++i)
    gates.push_back(draws.gate(static_cast<std::uint32_t>(i)));
  GatePower power{.pairs = draws.pairs(), .benchmarks = draws.size(), .gates = options.gates};
  count_alarms(options, gates, power);
  for (const double slowdown : options.slowdowns)
    power.rows.push_back(power_row(draws, options, gates, slowdown));
  find_least_caught(draws, options, gates, power);
  return power;
}

}  // namespace speclab::analysis
