#include "experiments/drivers/run/run_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

std::string holder(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  return size > 0 ? "process " + escaped(std::string_view(text.data(), static_cast<std::size_t>(size)), 20) : "another process";
}

}  // namespace

RunLock::RunLock(const std::string& folder) : descriptor_(::open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644)) {
  if (descriptor_ < 0) throw WriteError(fmt::format("{}/lock: cannot write: {}; choose a folder you may write to", folder, std::strerror(errno)));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const std::string who = holder(descriptor_);
    ::close(descriptor_);
    throw LockedError(fmt::format("{}: {} runs in this folder; wait for it, or give another --output", folder, who));
  }
  const std::string own_id = std::to_string(::getpid());
  if (::ftruncate(descriptor_, 0) == 0 && ::pwrite(descriptor_, own_id.data(), own_id.size(), 0) == static_cast<ssize_t>(own_id.size())) return;
  const std::string reason = std::strerror(errno);
  ::close(descriptor_);
  throw WriteError(fmt::format("{}/lock: cannot write: {}; free space or choose a folder you may write to", folder, reason));
}

RunLock::~RunLock() { ::close(descriptor_); }

}  // namespace speclab::experiments
