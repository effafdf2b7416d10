#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <utility>

#include "sim/system/errors.h"

namespace speclab::testing {

/// A copy of this process that does one thing and ends, killed if nobody waits for it. The test
/// must have no other threads.
class ChildProcess {
 public:
  /// @param work  what it does; its result is the exit code, that of an Error its own; the message
  /// goes to standard error
  explicit ChildProcess(const std::function<int()>& work) : id_(::fork()) {
    if (id_ == 0) ::_exit(exit_code(work));
  }
  ~ChildProcess() {
    if (id_ > 0) signal(SIGKILL), wait();
  }
  ChildProcess(ChildProcess&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;

  pid_t id() const { return id_; }
  void signal(int number) const { ::kill(id_, number); }
  bool has_ended() const {
    siginfo_t ended{};
    return ::waitid(P_PID, static_cast<id_t>(id_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == id_;
  }
  /// Its exit code, or 128 and the number of the signal that ended it.
  int wait() {
    int status = 0;
    ::waitpid(id_, &status, 0);
    id_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  static int exit_code(const std::function<int()>& work) {
    try {
      return work();
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return static_cast<int>(error.code());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return static_cast<int>(ExitCode::internal);
    }
  }

  pid_t id_;
};

}  // namespace speclab::testing
