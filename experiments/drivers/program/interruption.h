#pragma once
#include <csignal>
#include <string>

namespace speclab::experiments {

/// While it lives, SIGINT and SIGTERM only leave a mark, so that the generation in hand is
/// finished; a second one of the same ends the process at once.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// @param how_to_resume  ends the message
  /// @throws Error with the exit code of the signal if one has come
  void check(const std::string& how_to_resume) const;

 private:
  struct sigaction old_interrupt_, old_terminate_;
};

}  // namespace speclab::experiments
