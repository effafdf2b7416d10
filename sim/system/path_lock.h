#pragma once
#include <string>

namespace speclab {

/// While it lives, no other process locks the same file or folder.
class PathLock {
 public:
  PathLock() = default;
  /// @param path  is there already @throws LockedError if another process holds it, WriteError if
  /// it cannot be opened
  explicit PathLock(const std::string& path);
  ~PathLock();
  PathLock(PathLock&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  PathLock& operator=(PathLock&& other) noexcept;

 private:
  int descriptor_ = -1;
};

}  // namespace speclab
