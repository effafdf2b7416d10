#include "experiments/drivers/workers/worker_process.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// What `body` throws must not unwind into the parent's code, which stands on this stack too.
int exit_code_of(const std::function<int()>& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "speclab: a worker cannot start: %s\n", error.what());
    return static_cast<int>(ExitCode::internal);
  }
}

[[noreturn]] void become_worker(pid_t parent, int socket, const std::function<int()>& body) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(static_cast<int>(ExitCode::terminated));
  ::dup2(socket, STDIN_FILENO);
  ::dup2(socket, STDOUT_FILENO);
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  ::_exit(exit_code_of(body));
}

}  // namespace

WorkerProcess::WorkerProcess(const std::function<int()>& body) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(ExitCode::internal, std::string("no socket for a worker: ") + std::strerror(errno));
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ == 0) become_worker(parent, ends[1], body);
  const int reason = errno;
  ::close(ends[1]);
  socket_ = ends[0];
  if (id_ > 0) return;
  ::close(socket_);
  throw Error(ExitCode::internal, std::string("cannot start a worker: ") + std::strerror(reason));
}

WorkerProcess::~WorkerProcess() {
  if (id_ > 0) {
    signal(SIGKILL);
    wait();
  }
  ::close(socket_);
}

void WorkerProcess::tell(const std::string& line) const {
  const std::string text = line + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::send(socket_, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;
    done += static_cast<std::size_t>(n);
  }
}

void WorkerProcess::end_input() const { ::shutdown(socket_, SHUT_WR); }

bool WorkerProcess::receive() {
  std::array<char, 4096> buffer;
  const ssize_t n = ::recv(socket_, buffer.data(), buffer.size(), 0);
  if (n > 0) received_.append(buffer.data(), static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

std::optional<std::string> WorkerProcess::next_line() {
  const std::size_t end = received_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

void WorkerProcess::signal(int number) const { ::kill(id_, number); }

void WorkerProcess::await_end(std::chrono::steady_clock::time_point deadline) {
  end_input();
  for (pollfd polled{.fd = socket_, .events = POLLIN, .revents = 0};
       std::chrono::steady_clock::now() < deadline;)
    if (::poll(&polled, 1, 50) > 0 && !receive()) return;
}

int WorkerProcess::wait() {
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  return status;
}

}  // namespace speclab::experiments
