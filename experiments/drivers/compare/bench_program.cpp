#include "experiments/drivers/compare/bench_program.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "experiments/drivers/workers/worker_process.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = std::size_t{16} << 20;

/// @return exit code, only if the program cannot be started
int become(MeasuredCommand command) {
  if (command.addresses == Addresses::fixed) ::personality(ADDR_NO_RANDOMIZE);
  for (const auto& [name, value] : command.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (std::string& word : command.words) words.push_back(word.data());
  words.push_back(nullptr);
  ::execvp(words.front(), words.data());
  return 127;
}

[[noreturn]] void fail(const MeasuredCommand& command, const std::string& what) {
  throw Error(ExitCode::invalid_measurement, fmt::format("{}: {}; run it by hand to see why",
                                                         escaped(command.words.front()), what));
}

/// False when nothing has come until `deadline`.
bool wait_for_news(const WorkerProcess& process, Clock::time_point deadline) {
  pollfd polled{.fd = process.descriptor(), .events = POLLIN, .revents = 0};
  while (Clock::now() < deadline)
    if (::poll(&polled, 1, 200) > 0) return true;
  return false;
}

std::string read_all(WorkerProcess& process, const MeasuredCommand& command) {
  const auto deadline = Clock::now() + std::chrono::seconds(command.limit_s);
  std::string text;
  do {
    while (const auto line = process.next_line()) text += *line + "\n";
    if (text.size() > kMostOutput)
      fail(command, fmt::format("prints more than {} bytes", kMostOutput));
    if (!wait_for_news(process, deadline))
      fail(command, fmt::format("takes longer than {} s", command.limit_s));
  } while (process.receive());
  while (const auto line = process.next_line()) text += *line + "\n";
  return text;
}

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

std::string measured_output(const MeasuredCommand& command) {
  WorkerProcess process([&command] { return become(command); });
  const std::string text = read_all(process, command);
  const int status = process.wait();
  if (WIFSIGNALED(status)) fail(command, fmt::format("ended by signal {}", WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    fail(command, fmt::format("ended with exit code {}", WEXITSTATUS(status)));
  return text;
}

MeasuredCommand BenchProgram::command(const BenchRun& run, std::vector<std::string> before) const {
  MeasuredCommand command{.words = std::move(before),
                          .environment = {{"OMP_NUM_THREADS", "1"}},
                          .addresses = run.addresses};
  command.words.insert(command.words.end(),
                       {path_, "--benchmark_filter=" + run.filter, "--benchmark_format=json",
                        fmt::format("--benchmark_repetitions={}", run.repetitions)});
  if (planted_ > 0.0)
    command.environment.emplace_back("SPECLAB_BENCH_EXTRA_WORK", fmt::format("{}", planted_));
  if (run.calls > 0)
    command.environment.emplace_back("SPECLAB_BENCH_CALLS", std::to_string(run.calls));
  return command;
}

BenchOutput BenchProgram::run(const BenchRun& run) const {
  return parse_bench_output(measured_output(command(run)), path_);
}

std::vector<std::string> BenchProgram::names() const {
  std::vector<std::string> names;
  const std::string text = measured_output({.words = {path_, "--benchmark_list_tests=true"}});
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at),
                      name = line.substr(0, line.find("/iterations:"));
    const bool is_name = std::ranges::all_of(name, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) ||
             std::string_view("_/.:-").find(c) != std::string_view::npos;
    });
    if (name.empty() || !is_name)
      throw Error(
          ExitCode::invalid_measurement,
          fmt::format(
              "{}: lists '{}', which is no benchmark's name; allowed: letters, digits, _/.:-",
              path_, escaped(line)));
    if (family_of(name) != "timer") names.push_back(name);
    at = end + 1;
  }
  return names;
}

std::string filter_of(const std::vector<std::string>& names) {
  std::string filter;
  for (const std::string& name : names) filter += (filter.empty() ? "^(" : "|") + name;
  return filter + ")/iterations:";
}

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
