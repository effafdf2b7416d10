#include "sim/system/path_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sim/system/errors.h"

namespace speclab {

PathLock::PathLock(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0)
    throw WriteError(path + ": cannot open: " + std::strerror(errno) +
                     "; choose one you may write to");
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(descriptor_);
  throw LockedError(path + ": another process works with it; wait for it, or choose another");
}

PathLock::~PathLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

PathLock& PathLock::operator=(PathLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

}  // namespace speclab
