#include "experiments/drivers/compare/gates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <tuple>

#include "experiments/drivers/compare/bench_program.h"
#include "experiments/drivers/compare/pair_runs.h"
#include "experiments/drivers/program/progress.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using analysis::BenchPairRow;
using analysis::GateVerdict;

constexpr int kMostPairs = 5000, kMostRepetitions = 1000;

void check_options(const BuildGateOptions& options) {
  if (options.pairs < 1 || options.pairs > kMostPairs)
    throw ConfigError(fmt::format("--pairs {}; allowed: 1 to {}", options.pairs, kMostPairs));
  if (options.repetitions < 1 || options.repetitions > kMostRepetitions)
    throw ConfigError(
        fmt::format("--repetitions {}; allowed: 1 to {}", options.repetitions, kMostRepetitions));
  if (!(options.planted_slowdown >= 0.0 && options.planted_slowdown <= 1.0))
    throw ConfigError(
        fmt::format("--planted-slowdown {}; allowed: 0 to 1", options.planted_slowdown));
}

std::vector<std::string> without(const std::vector<std::string>& names,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> left;
  std::ranges::copy_if(names, std::back_inserter(left), [&](const std::string& name) {
    return std::ranges::count(others, name) == 0;
  });
  return left;
}

/// Those of the families asked for. @throws ConfigError naming a family that there is not
std::vector<std::string> of_families(const std::vector<std::string>& names,
                                     const std::vector<std::string>& families) {
  std::vector<std::string> there;
  for (const auto& family : families_of(names)) there.push_back(family_of(family.front()));
  for (const std::string& family : families)
    if (std::ranges::count(there, family) == 0)
      throw ConfigError(
          fmt::format("--families: '{}'; allowed: {}", escaped(family), fmt::join(there, ", ")));
  std::vector<std::string> chosen;
  std::ranges::copy_if(names, std::back_inserter(chosen), [&](const std::string& name) {
    return families.empty() || std::ranges::count(families, family_of(name)) > 0;
  });
  return chosen;
}

/// As the user named it, with what the suite says of itself.
std::string described(const std::string& given, const BenchOutput& output) {
  return fmt::format("{} ({}, {}, {})", escaped(given), output.revision, output.build,
                     output.instruction_set);
}

/// Measures one base and one head.
class BuildComparison {
 public:
  BuildComparison(const BuildSide& base, const BuildSide& head, const BuildGateOptions& options)
      : options_(options),
        base_(base.times_program, 0.0),
        head_(head.times_program, options.planted_slowdown),
        base_counts_(base.counts_program, 0.0),
        head_counts_(head.counts_program, options.planted_slowdown),
        folder_(options.output),
        progress_(Progress::style_of_standard_error()) {
    gate_.base = base.given, gate_.head = head.given;
    choose_benchmarks();
    describe(base, head);
  }

  BuildGate run() {
    if (options_.measure != Measure::counts) measure_times();
    if (options_.measure != Measure::times) measure_counts();
    gate_.verdict = analysis::verdict_of(gate_.lines);
    folder_.write_gate(gate_);
    return gate_;
  }

 private:
  const BenchProgram& any_base() const {
    return options_.measure == Measure::counts ? base_counts_ : base_;
  }
  const BenchProgram& any_head() const {
    return options_.measure == Measure::counts ? head_counts_ : head_;
  }

  void describe(const BuildSide& base, const BuildSide& head) {
    const BenchOutput of_base = any_base().run({.filter = "^timer/empty/"});
    gate_.base = described(base.given, of_base),
    gate_.head = described(head.given, any_head().run({.filter = "^timer/empty/"}));
    gate_.machine = of_base.machine, gate_.options = options_;
  }

  void choose_benchmarks() {
    const std::vector<std::string> base = any_base().names(), head = any_head().names();
    gate_.only_base = without(base, head), gate_.only_head = without(head, base);
    const std::vector<std::string> both = without(head, gate_.only_head);
    if (both.empty())
      throw Error(
          ExitCode::invalid_measurement,
          fmt::format(
              "'{}' and '{}' have no benchmark in common; allowed: builds of related revisions",
              escaped(gate_.base), escaped(gate_.head)));
    benchmarks_ = of_families(both, options_.families);
  }

  void measure_times() {
    const int least = analysis::least_pairs(benchmarks_.size(), {});
    if (options_.pairs < least)
      throw ConfigError(
          fmt::format("--pairs {}: cannot show anything among {} benchmarks; allowed: at least {}",
                      options_.pairs, benchmarks_.size(), least));
    const TimerCheck base = check_timer(base_), head = check_timer(head_);
    expect_good_clocks(base, head, std::numeric_limits<double>::infinity());
    measure_look({.benchmarks = benchmarks_,
                  .look = 1,
                  .first_pair = 0,
                  .pairs = options_.pairs,
                  .repetitions = options_.repetitions,
                  .seed = options_.seed});
    expect_good_clocks(base, head, shortest_call_ns());
    const std::vector<std::string> unclear = unclear_benchmarks();
    if (!unclear.empty())
      measure_look({.benchmarks = unclear,
                    .look = 2,
                    .first_pair = options_.pairs,
                    .pairs = options_.pairs,
                    .repetitions = options_.repetitions,
                    .seed = options_.seed});
    add_lines(analysis::judge_times(rows_, {}));
  }

  void measure_look(const PairPlan& plan) {
    progress_.begin_phase(plan.look == 1 ? "pairs" : "more pairs of what is unclear", plan.pairs);
    const FamilySeconds seconds =
        run_pairs(base_, head_, plan, [this](const std::vector<BenchPairRow>& rows) {
          rows_.insert(rows_.end(), rows.begin(), rows.end());
          folder_.add(rows);
          progress_.advance(1);
        });
    progress_.end_phase();
    for (const auto& [family, of_look] : seconds) gate_.seconds[family] += of_look;
  }

  std::vector<std::string> unclear_benchmarks() const {
    std::vector<std::string> unclear;
    for (const analysis::GateLine& line : analysis::judge_times(rows_, {}))
      if (line.verdict == GateVerdict::ambiguous) unclear.push_back(line.benchmark);
    return unclear;
  }

  double shortest_call_ns() const {
    double shortest_ns = rows_.front().base_ns;
    for (const BenchPairRow& row : rows_)
      shortest_ns = std::min({shortest_ns, row.base_ns, row.head_ns});
    return shortest_ns;
  }

  static void expect_good_clocks(const TimerCheck& base, const TimerCheck& head,
                                 double shortest_call_ns) {
    for (const TimerCheck& check : {base, head})
      if (const std::string fault = check.fault(shortest_call_ns); !fault.empty())
        throw Error(
            ExitCode::invalid_measurement,
            fmt::format(
                "the clocks cannot be trusted: {}; measure on a machine with nothing else to do",
                fault));
  }

  void measure_counts() {
    const auto counter = available_counter(base_counts_);
    if (!counter && options_.measure == Measure::counts)
      throw Error(ExitCode::invalid_measurement,
                  "instructions cannot be counted: perf events are not allowed here and valgrind "
                  "is not installed; install it, or use --measure times");
    if (!counter) {
      gate_.notes.push_back(
          "no instructions were counted: perf events are not allowed here and valgrind is not "
          "installed");
      return;
    }
    progress_.begin_phase("instructions, by " + *counter, kCountedSuites);
    const auto rows =
        count_instructions(base_counts_, head_counts_, benchmarks_,
                           {.counter = *counter, .after_suite = [this] { progress_.advance(1); }});
    progress_.end_phase();
    folder_.add(rows);
    add_lines(analysis::judge_counts(rows));
  }

  void add_lines(const std::vector<analysis::GateLine>& lines) {
    gate_.lines.insert(gate_.lines.end(), lines.begin(), lines.end());
  }

  BuildGateOptions options_;
  BenchProgram base_, head_, base_counts_, head_counts_;
  GateFolder folder_;
  Progress progress_;
  std::vector<std::string> benchmarks_;
  std::vector<BenchPairRow> rows_;
  BuildGate gate_{};
};

/// What was measured for a line.
auto work_of(const analysis::GateLine& line) {
  return std::tuple(line.benchmark, line.measure, line.pairs.pairs);
}

}  // namespace

BuildGate compare_builds(const std::string& base, const std::string& head,
                         const BuildGateOptions& options) {
  check_options(options);
  return BuildComparison(build_side(base, options.measure), build_side(head, options.measure),
                         options)
      .run();
}

BuildGate replay_gate(const std::string& folder) {
  const std::string pairs = folder + "/" + kPairsFile, counts = folder + "/" + kCountsFile;
  if (!std::filesystem::exists(pairs) && !std::filesystem::exists(counts))
    throw ConfigError(
        fmt::format("--replay: '{}' has neither {} nor {}; allowed: an output of speclab compare",
                    escaped(folder), kPairsFile, kCountsFile));
  std::vector<analysis::GateLine> lines;
  if (std::filesystem::exists(pairs))
    lines = analysis::judge_times(analysis::read_bench_pairs(pairs), {});
  if (std::filesystem::exists(counts))
    std::ranges::move(analysis::judge_counts(analysis::read_bench_counts(counts)),
                      std::back_inserter(lines));
  BuildGate gate = read_gate(folder);
  if (!std::ranges::equal(lines, gate.lines, {}, work_of, work_of))
    throw DataError(fmt::format(
        "{}: {}, {} and {} belong to different gates, or rows are missing; restore them",
        escaped(folder), kPairsFile, kCountsFile, kGateFile));
  gate.lines = std::move(lines);
  gate.verdict = analysis::verdict_of(gate.lines);
  return gate;
}

}  // namespace speclab::experiments
