#pragma once
#include <cstdint>
#include <string>

namespace speclab::experiments {

/// What becomes of a folder on a network file system, whose locks may not hold between machines.
enum class NetworkFolder : std::uint8_t { refused, allowed };

/// Keeps other processes out of a run folder for as long as it lives. The kernel releases it with
/// the process, however that ends.
class RunLock {
 public:
  /// @throws LockedError naming the process that holds it and its host; WriteError if the lock file
  /// cannot be made or the folder is refused
  explicit RunLock(const std::string& folder, NetworkFolder network = NetworkFolder::refused);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace speclab::experiments
