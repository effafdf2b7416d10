#include "experiments/drivers/workers/run_in_workers.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "experiments/drivers/journal/failures.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/measure/measurement.h"
#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/workers/worker_process.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// Generations that are left, handed out one by one. A shard gets those of a block, which are
/// compared with each other, before those of the next, whichever of its processes asks.
class WorkQueue {
 public:
  /// @param rows  in the order of measuring @param log  knows how often each was tried
  WorkQueue(const Plan& plan, const std::vector<std::size_t>& rows, const RunLog& log);
  std::optional<Assignment> next(int shard);
  /// The next of the shard, which was not begun.
  void give_back(int shard, const Assignment& assignment) { begun_[shard].push_front(assignment); }
  /// Whether next() has something.
  bool has_work_for(int shard) const;

 private:
  std::deque<std::deque<Assignment>> blocks_;
  std::map<int, std::deque<Assignment>> begun_;  ///< by shard
};

WorkQueue::WorkQueue(const Plan& plan, const std::vector<std::size_t>& rows, const RunLog& log) {
  for (const std::vector<std::size_t>& block : blocks_of(plan, rows)) {
    blocks_.emplace_back();
    for (const std::size_t row : block) blocks_.back().push_back({row, attempts_of(log, row)});
  }
}

std::optional<Assignment> WorkQueue::next(int shard) {
  std::deque<Assignment>& own = begun_[shard];
  if (own.empty() && !blocks_.empty()) {
    own = std::move(blocks_.front());
    blocks_.pop_front();
  }
  if (own.empty()) return std::nullopt;
  const Assignment assignment = own.front();
  own.pop_front();
  return assignment;
}

bool WorkQueue::has_work_for(int shard) const {
  const auto own = begun_.find(shard);
  return !blocks_.empty() || (own != begun_.end() && !own->second.empty());
}

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::milliseconds(
    2500);  ///< for workers to leave what they do when the run is interrupted
constexpr double kLateness_s = 5;  ///< beyond twice a generation's limit: it is only looked at
                                   ///< between rounds, and a lossy row is decoded twice
constexpr int kMaxBarrenEnds = 3;  ///< of workers that had measured nothing, in a row

struct Worker {
  int shard = 0;
  std::unique_ptr<WorkerProcess> process;
  std::optional<Assignment> in_hand{};
  Clock::time_point since{};  ///< when it was begun
  bool has_begun = false;
  bool is_late = false;  ///< it was killed for that
};

/// The work of one run_workers.
class WorkerPool {
 public:
  WorkerPool(const Plan& plan, const WorkerPoolOptions& options, const RunLog& log,
             const std::vector<std::size_t>& rows, Progress& progress)
      : plan_(plan),
        options_(options),
        queue_(plan, rows, log),
        progress_(progress),
        measuring_(plan, log, rows, progress) {}

  void run() {
    try {
      for (const int shard : options_.shards) start(shard);
      while (!workers_.empty()) step();
    } catch (const Error&) {
      stop_all();
      throw;
    }
  }

 private:
  void start(int shard) {
    workers_.push_back({.shard = shard, .process = std::make_unique<WorkerProcess>([this, shard] {
                                          return options_.work(shard);
                                        })});
  }

  void step() {
    options_.run.limits.check_interruption();
    std::vector<pollfd> polled;
    for (const Worker& worker : workers_)
      polled.push_back({.fd = worker.process->descriptor(), .events = POLLIN, .revents = 0});
    ::poll(polled.data(), polled.size(), 100);
    for (std::size_t i = polled.size(); i-- > 0;)
      if (polled[i].revents != 0) listen(i);
    for (Worker& worker : workers_) kill_if_late(worker);
    progress_.advance(0);
  }

  void listen(std::size_t index) {
    Worker& worker = workers_[index];
    const bool goes_on = worker.process->receive();
    while (const auto line = worker.process->next_line()) hear(worker, *line);
    if (!goes_on) bury(index);
  }

  /// "ready", "begun ROW", "ended ROW ok TOKENS NS" or a failure's status in place of ok.
  void hear(Worker& worker, const std::string& line) {
    std::istringstream words(line);
    std::string verb, outcome;
    std::size_t row = 0;
    Measured measured;
    words >> verb >> row >> outcome >> measured.tokens >> measured.ns;
    if (verb == "begun") {
      worker.has_begun = true;
      worker.since = Clock::now();
      return;
    }
    if (verb == "ended") finish(worker, row, outcome, measured);
    if (verb != "ended" && verb != "ready") return progress_.note(line);  // what a library printed
    if (outcome == to_string(FailureStatus::out_of_memory) ||
        outcome == to_string(FailureStatus::device))
      return;  // it ends now
    worker.in_hand = queue_.next(worker.shard);
    if (worker.in_hand)
      worker.process->tell(fmt::format("{} {}", worker.in_hand->row, worker.in_hand->attempts));
    else
      worker.process->end_input();
  }

  void finish(Worker& worker, std::size_t row, const std::string& outcome,
              const Measured& measured) {
    worker.in_hand.reset();
    worker.has_begun = worker.is_late = false;
    barren_ends_ = 0;
    if (outcome != "ok") note(row, outcome);
    measuring_.ended(row, measured);
  }

  void note(std::size_t row, const std::string& what) {
    progress_.note(fmt::format("generation {} of {} failed ({}); the others go on", row,
                               plan_.cells[plan_.generations[row].cell].id, what));
  }

  double patience_s() const { return 2 * options_.run.limits.generation_timeout_s + kLateness_s; }

  void kill_if_late(Worker& worker) {
    const double limit_s = options_.run.limits.generation_timeout_s;
    if (limit_s == 0 || !worker.has_begun || worker.is_late) return;
    worker.is_late =
        std::chrono::duration<double>(Clock::now() - worker.since).count() > patience_s();
    if (worker.is_late) worker.process->signal(SIGKILL);
  }

  /// A worker has ended: by itself, by a signal, with an error.
  void bury(std::size_t index) {
    Worker worker = std::move(workers_[index]);
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(index));
    const int status = worker.process->wait();
    const bool is_sound = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !worker.has_begun;
    const bool gave_up = WIFEXITED(status) &&
                         WEXITSTATUS(status) == static_cast<int>(ExitCode::internal) &&
                         worker.has_begun;  // a library that ends its process
    if (WIFSIGNALED(status))
      mourn(worker, fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status))));
    else if (gave_up || (worker.has_begun && WEXITSTATUS(status) == 0))
      mourn(worker, fmt::format("exit code {}", WEXITSTATUS(status)));
    else if (!is_sound)
      throw Error(static_cast<ExitCode>(WEXITSTATUS(status)),
                  fmt::format("worker {} ended with exit code {}; its message stands above",
                              worker.shard, WEXITSTATUS(status)));
    if (worker.in_hand && !worker.has_begun) queue_.give_back(worker.shard, *worker.in_hand);
    if (queue_.has_work_for(worker.shard)) start(worker.shard);
  }

  /// @param end  "signal 9 (Killed)", "exit code 1"
  void mourn(const Worker& worker, const std::string& end) {
    if (!worker.has_begun) {
      if (++barren_ends_ >= kMaxBarrenEnds)
        throw Error(ExitCode::internal,
                    fmt::format("workers end by {} before they measure; if memory is short, fewer "
                                "--workers or a smaller model",
                                end));
      return;
    }
    const auto [row, attempts] = *worker.in_hand;
    const FailureStatus status = worker.is_late ? FailureStatus::timeout : FailureStatus::crash;
    const std::string message =
        worker.is_late
            ? fmt::format("no answer within {} s; give a larger --timeout-s", patience_s())
            : "its process ended by " + end;
    note_failure(plan_, options_.run, worker.shard,
                 {static_cast<std::int64_t>(row), status, message, attempts + 1});
    note(row, to_string(status));
    measuring_.ended(row, {});
  }

  /// What they have in hand is given up, and is no failure. Those that do not leave are killed with
  /// their objects.
  void stop_all() {
    for (Worker& worker : workers_) worker.process->signal(SIGTERM);
    const auto deadline = Clock::now() + kPatience;
    for (Worker& worker : workers_) worker.process->await_end(deadline);
    workers_.clear();
  }

  const Plan& plan_;
  const WorkerPoolOptions& options_;
  WorkQueue queue_;
  Progress& progress_;
  MeasuringProgress measuring_;
  std::vector<Worker> workers_;
  int barren_ends_ = 0;
};

}  // namespace

void run_workers(const Plan& plan, const WorkerPoolOptions& options, const RunLog& log,
                 const std::vector<std::size_t>& rows, Progress& progress) {
  WorkerPool(plan, options, log, rows, progress).run();
  progress.end_phase();
}

void run_in_process(const std::function<int()>& body, const BenchLimits& limits) {
  WorkerProcess process(body);
  try {
    for (pollfd polled{.fd = process.descriptor(), .events = POLLIN, .revents = 0};
         ::poll(&polled, 1, 100) <= 0 || process.receive();)
      limits.check_interruption();
  } catch (const Error&) {
    process.signal(SIGTERM);
    process.await_end(Clock::now() + kPatience);
    throw;
  }
  const int status = process.wait();
  if (WIFSIGNALED(status))
    throw Error(ExitCode::internal, fmt::format("the process that prepares ended by signal {} ({})",
                                                WTERMSIG(status), strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) != 0)
    throw Error(
        static_cast<ExitCode>(WEXITSTATUS(status)),
        fmt::format("the process that prepares ended with exit code {}; its message stands above",
                    WEXITSTATUS(status)));
}

}  // namespace speclab::experiments
