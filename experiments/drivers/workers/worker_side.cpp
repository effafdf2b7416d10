#include "experiments/drivers/workers/worker_side.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <sstream>
#include <utility>

#include "experiments/drivers/journal/failures.h"
#include "experiments/drivers/measure/measurement.h"
#include "sim/system/errors.h"

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

}  // namespace speclab::experiments
