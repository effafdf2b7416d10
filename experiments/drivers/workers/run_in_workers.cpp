#include "experiments/drivers/workers/run_in_workers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "experiments/drivers/journal/failures.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/measure/measurement.h"
#include "experiments/drivers/predict/predictions.h"
#include "experiments/drivers/run/run_journals.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

/// One line of standard input, read byte by byte: nothing is taken that is not used.
std::optional<std::string> read_line() {
  std::string line;
  for (char c;;) {
    const ssize_t n = ::read(STDIN_FILENO, &c, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    if (c == '\n') return line;
    line += c;
  }
}

void say(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(ExitCode::terminated, "the process that hands out the work is gone");
    done += static_cast<std::size_t>(n);
  }
}

enum class State : std::uint8_t { new_run, prepared, complete };

State state_of(const Plan& plan, const RunOptions& options, Progress& progress) {
  const RunJournals journals(plan, {.folder = options.folder,
                                    .repair = options.repair,
                                    .retry_failed = options.retry_failed,
                                    .allow_mixed = options.allow_mixed,
                                    .network_folder = options.network_folder,
                                    .note = [&](const std::string& text) { progress.note(text); }});
  if (journals.is_complete()) return State::complete;
  return is_prepared(plan, journals.log()) ? State::prepared : State::new_run;
}

/// As the union of the journals is now; none stays locked.
RunLog log_of(const Plan& plan, const RunOptions& options) {
  return RunJournals(plan, {.folder = options.folder,
                            .repair = options.repair,
                            .retry_failed = options.retry_failed,
                            .allow_mixed = options.allow_mixed,
                            .network_folder = options.network_folder})
      .log();
}

std::vector<int> numbers(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// Keeps another process from handing out the same work.
std::unique_ptr<RunLock> lock_shards(const RunOptions& options) {
  make_folder(options.folder + "/shards");
  return lock_soon(options.folder + "/shards", options.network_folder);
}

/// What an earlier process of the shard has measured.
void take_shard(RunLog& log, const RunOptions& options, int shard) {
  const std::string folder = shard_folder(options.folder, shard);
  make_folder(folder);
  const auto lock = lock_soon(folder, options.network_folder);
  log.include(RunLog(folder));
}

void measure_in_workers(const Plan& plan, const RunOptions& options, const WorkerRoles& roles,
                        Progress& progress) {
  const auto lock = lock_shards(options);
  const RunLog log = log_of(plan, options);
  if (const std::size_t measured = log.rows().size(); measured > 0)
    progress.note(options.folder + ": resumed with " + std::to_string(measured) + " of " +
                  std::to_string(plan.generations.size()) + " generations");
  const std::vector<std::size_t> open = open_generations(plan, log);
  const int useful = std::min(
      options.workers,
      static_cast<int>(blocks_of(plan, open)
                           .size()));  // a block, whose generations are compared, is one worker's
  run_workers(plan, {.run = options, .shards = numbers(useful), .work = roles.work}, log, open,
              progress);
}

}  // namespace

void serve_shard(const Plan& plan, const RunOptions& options, int shard,
                 const OpenEngines& open_engines) {
  bool is_ready = false;
  const auto next = [&]() -> std::optional<Assignment> {
    options.limits.check_interruption();
    if (!std::exchange(is_ready, true)) say("ready");
    const auto line = read_line();
    if (!line) return std::nullopt;
    std::istringstream words(*line);
    Assignment assignment;
    words >> assignment.row >> assignment.attempts;
    SPECLAB_EXPECT(words && assignment.row < plan.generations.size(),
                   "an assignment is a row and its attempts: " + *line);
    return assignment;
  };
  const auto begun = [](std::size_t row) { say(fmt::format("begun {}", row)); };
  const auto ended = [](std::size_t row, const Measured& m) {
    say(fmt::format("ended {} {} {} {}", row, m.failed ? to_string(*m.failed) : "ok", m.tokens,
                    m.ns));
  };
  measure_shard(plan, options, shard, {.next = next, .begun = begun, .ended = ended}, open_engines);
}

RunOutcome run_in_workers(const Plan& plan, const RunOptions& options, const WorkerRoles& roles,
                          const OpenEngines& open_engines, Progress& progress) {
  const State state = state_of(plan, options, progress);
  if (state == State::complete) return RunOutcome::was_complete;
  if (state == State::new_run || options.allow_mixed) run_in_process(roles.prepare, options.limits);
  try {
    measure_in_workers(plan, options, roles, progress);
  } catch (const Error& error) {
    progress.stop_phase();
    if (error.code() != ExitCode::cannot_write && error.code() != ExitCode::locked)
      salvage(progress, [&] { merge_run(plan, options, open_engines); });
    throw;
  }
  merge_run(plan, options, open_engines);
  return RunOutcome::completed;
}

void run_one_shard(const Plan& plan, const RunOptions& options, int shard,
                   const std::vector<std::size_t>& rows, const WorkerRoles& roles,
                   Progress& progress) {
  RunLog log(options.folder, Journal::Tail::left);
  take_shard(log, options, shard);
  log.look_at(plan);
  log.set_retries_failed(options.retry_failed);
  if (!is_prepared(plan, log))
    throw DataError(options.folder +
                    ": was not prepared for this config, because its first job failed or the "
                    "config was edited since; repeat `speclab run` to continue");
  std::vector<std::size_t> open = open_generations(plan, log);
  std::erase_if(open, [own = std::set<std::size_t>(rows.begin(), rows.end())](std::size_t row) {
    return !own.contains(row);
  });
  run_workers(plan, {.run = options, .shards = {shard}, .work = roles.work}, log, open, progress);
}

}  // namespace speclab::experiments
