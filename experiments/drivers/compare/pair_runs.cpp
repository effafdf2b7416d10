#include "experiments/drivers/compare/pair_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "experiments/drivers/program/command_folders.h"
#include "experiments/drivers/program/program_call.h"
#include "sim/core/rng_stream.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

using Clock = std::chrono::steady_clock;

const BenchResult& result_of(const BenchOutput& output, const std::string& name,
                             const BenchProgram& program) {
  if (const BenchResult* result = output.find(name)) return *result;
  throw Error(ExitCode::invalid_measurement,
              fmt::format("{}: benchmark '{}' is in its list and was not run", program.path(),
                          escaped(name)));
}

/// One family of one pair.
class FamilyPair {
 public:
  FamilyPair(const BenchProgram& base, const BenchProgram& head, const PairPlan& plan)
      : base_(base), head_(head), plan_(plan) {}

  void run(const std::vector<std::string>& names, int pair, bool base_first,
           std::vector<analysis::BenchPairRow>& rows) const {
    const BenchRun run{.filter = filter_of(names), .repetitions = plan_.repetitions};
    BenchOutput base, head;
    if (base_first) base = base_.run(run);
    head = head_.run(run);
    if (!base_first) base = base_.run(run);
    for (const std::string& name : names) {
      const BenchResult &b = result_of(base, name, base_), &h = result_of(head, name, head_);
      rows.push_back({.benchmark = name,
                      .pair = pair,
                      .look = plan_.look,
                      .base_first = base_first,
                      .base_ns = b.cpu_ns,
                      .head_ns = h.cpu_ns,
                      .base_wall_ns = b.wall_ns,
                      .head_wall_ns = h.wall_ns,
                      .base_checksum = b.checksum,
                      .head_checksum = h.checksum});
    }
  }

 private:
  const BenchProgram &base_, &head_;
  const PairPlan& plan_;
};

constexpr int kCalls = 20;

[[noreturn]] void fail(const std::string& what) {
  throw Error(ExitCode::invalid_measurement, what);
}

/// Counts in the functions of that name in suite.cpp, a file a benchmark in the order of running.
BenchOutput run_callgrind(const BenchProgram& program, const BenchRun& run) {
  const ScratchFolder folder;
  const std::string out = folder.path() + "/out";
  MeasuredCommand command =
      program.command(run, {"valgrind", "-q", "--log-file=/dev/null", "--tool=callgrind",
                            "--collect-atstart=no", "--toggle-collect=*timed_calls*",
                            "--dump-before=*report_calls*", "--callgrind-out-file=" + out});
  // Malloc's cache of a thread depends on the benchmarks before, and moved a planted 5 % by 0.25 %.
  command.environment.emplace_back("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0");
  BenchOutput output = parse_bench_output(measured_output(command), program.path());
  std::vector<std::string> files;
  for (std::size_t i = 1; i <= output.results.size(); ++i)
    files.push_back(read_file(fmt::format("{}.{}", out, i)));
  const std::vector<double> totals = callgrind_totals(files);
  for (std::size_t i = 0; i < totals.size(); ++i) output.results[i].instructions = totals[i];
  return output;
}

BenchOutput counted(const BenchProgram& program, const BenchRun& run, const std::string& counter) {
  return counter == "perf" ? program.run(run) : run_callgrind(program, run);
}

const BenchResult& counted_result(const BenchOutput& output, const std::string& name,
                                  const BenchProgram& program) {
  const BenchResult* result = output.find(name);
  if (!result || !result->instructions)
    fail(fmt::format("{}: benchmark '{}' was not counted", program.path(), escaped(name)));
  return *result;
}

}  // namespace

std::vector<std::vector<std::string>> families_of(const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> families;
  for (const std::string& name : names) {
    const auto family = std::ranges::find_if(
        families, [&](const auto& others) { return family_of(others.front()) == family_of(name); });
    if (family == families.end())
      families.push_back({name});
    else
      family->push_back(name);
  }
  return families;
}

FamilySeconds run_pairs(
    const BenchProgram& base, const BenchProgram& head, const PairPlan& plan,
    const std::function<void(const std::vector<analysis::BenchPairRow>&)>& on_pair) {
  const RngStream stream(plan.seed);
  const auto families = families_of(plan.benchmarks);
  const FamilyPair family_pair(base, head, plan);
  FamilySeconds seconds;
  for (int pair = plan.first_pair; pair < plan.first_pair + plan.pairs; ++pair) {
    std::vector<analysis::BenchPairRow> rows;
    for (std::size_t i = 0; i < families.size(); ++i) {
      const auto begin = Clock::now();
      family_pair.run(families[i], pair,
                      stream.uniform({static_cast<std::uint32_t>(i),
                                      static_cast<std::uint32_t>(pair), Purpose::order, 0}) < 0.5,
                      rows);
      seconds[family_of(families[i].front())] +=
          std::chrono::duration<double>(Clock::now() - begin).count();
    }
    on_pair(rows);
  }
  return seconds;
}

std::optional<std::string> available_counter(const BenchProgram& program) {
  const BenchOutput output = program.run({.filter = "^timer/empty/"});
  const BenchResult* empty = output.find("timer/empty");
  if (empty && empty->instructions) return "perf";
  if (ask_command({"valgrind", "--version"}).code == 0) return "callgrind";
  return std::nullopt;
}

std::vector<double> callgrind_totals(const std::vector<std::string>& files) {
  std::vector<double> totals;
  for (const std::string& file : files) {
    constexpr std::string_view kKey = "\ntotals: ";
    const std::size_t at = file.rfind(kKey);
    double total = 0.0;
    if (at != std::string::npos)
      std::from_chars(file.data() + at + kKey.size(), file.data() + file.size(), total);
    if (!(total > 0.0))
      fail(
          "callgrind counted no instructions; the functions timed_calls and report_calls must "
          "stand in the binary");
    totals.push_back(total);
  }
  return totals;
}

std::vector<analysis::BenchCountRow> count_instructions(const BenchProgram& base,
                                                        const BenchProgram& head,
                                                        const std::vector<std::string>& benchmarks,
                                                        const Counting& counting) {
  const auto suite = [&](const BenchProgram& program) {
    const BenchRun what{
        .filter = filter_of(benchmarks), .calls = kCalls, .addresses = Addresses::fixed};
    BenchOutput output = counted(program, what, counting.counter);
    if (counting.after_suite) counting.after_suite();
    return output;
  };
  std::vector<analysis::BenchCountRow> rows;
  for (int run = 0; run < kCountingRuns; ++run) {
    const BenchOutput of_base = suite(base), of_head = suite(head);
    if (of_base.instruction_set != of_head.instruction_set)
      fail(fmt::format("the base was built for {}, the head for {}; build both alike",
                       of_base.instruction_set, of_head.instruction_set));
    for (const std::string& name : benchmarks) {
      const BenchResult &b = counted_result(of_base, name, base),
                        &h = counted_result(of_head, name, head);
      rows.push_back({.benchmark = name,
                      .counter = counting.counter,
                      .instruction_set = of_base.instruction_set,
                      .run = run,
                      .base_instructions = *b.instructions,
                      .head_instructions = *h.instructions,
                      .base_checksum = b.checksum,
                      .head_checksum = h.checksum});
    }
  }
  return rows;
}

}  // namespace speclab::experiments
