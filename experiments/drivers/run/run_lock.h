#pragma once
#include <string>

namespace speclab::experiments {

/// Keeps other processes out of a run folder for as long as it lives. The kernel releases it with the process, however
/// that ends.
class RunLock {
 public:
  /// @throws LockedError naming the process that holds it; WriteError if the lock file cannot be made
  explicit RunLock(const std::string& folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace speclab::experiments
