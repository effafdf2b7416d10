#include "experiments/drivers/compare/instruction_counts.h"

#include <fmt/format.h>

#include <charconv>

#include "experiments/drivers/program/command_folders.h"
#include "experiments/drivers/program/program_call.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

constexpr int kCalls = 20;

[[noreturn]] void fail(const std::string& what) {
  throw Error(ExitCode::invalid_measurement, what);
}

/// Counts in the functions of that name in suite.cpp, a file a benchmark in the order of running.
BenchOutput run_callgrind(const BenchProgram& program, const BenchRun& run) {
  const ScratchFolder folder;
  const std::string out = folder.path() + "/out";
  const MeasuredCommand command =
      program.command(run, {"valgrind", "-q", "--log-file=/dev/null", "--tool=callgrind",
                            "--collect-atstart=no", "--toggle-collect=*timed_calls*",
                            "--dump-before=*report_calls*", "--callgrind-out-file=" + out});
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
