#pragma once
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace speclab::experiments {

/// A child process that is told and tells lines, and that the kernel ends with the process that
/// started it.
class WorkerProcess {
 public:
  /// Starts a process that runs `body` with standard input and output towards this one and ends
  /// with its value; no other descriptor above standard error is left open in it. This process must
  /// have one thread. @throws Error(internal) if the system starts no more
  explicit WorkerProcess(const std::function<int()>& body);
  /// Kills the process if it has not ended.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// One that has ended hears nothing.
  void tell(const std::string& line) const;
  /// Ends its standard input.
  void end_input() const;
  /// What polls as readable when there is news.
  int descriptor() const { return socket_; }
  /// Reads what has come. @return false at the end: the process has closed its output
  bool receive();
  /// The next whole line that was received.
  std::optional<std::string> next_line();
  void signal(int number) const;
  /// Waits for its end. @return as waitpid's status
  int wait();
  /// Ends its input and waits until it has closed its output, or `deadline`.
  void await_end(std::chrono::steady_clock::time_point deadline);

 private:
  pid_t id_ = -1;
  int socket_ = -1;
  std::string received_;
};

}  // namespace speclab::experiments
