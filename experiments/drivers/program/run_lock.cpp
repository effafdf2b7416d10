#include "experiments/drivers/program/run_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kLongestHolder = 96;

/// "ID on HOST", as the lock file says it.
std::string own_name() {
  std::array<char, 65> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("{} on {}", ::getpid(), host.data()).substr(0, kLongestHolder);
}

/// The holder as its process has written it; empty if there is nothing.
std::string noted_holder(int descriptor) {
  std::string text(kLongestHolder, '\0');
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

std::string holder(int descriptor) {
  const std::string text = noted_holder(descriptor);
  return text.empty() ? "another process" : "process " + escaped(text, kLongestHolder);
}

/// Whether the noted holder was a process of this host, which has ended.
bool is_holder_gone(int descriptor) {
  const std::string text = noted_holder(descriptor), own = own_name();
  const std::size_t end = text.find(' ');
  pid_t id = 0;
  if (end == std::string::npos || text.substr(end) != own.substr(own.find(' ')) ||
      std::from_chars(text.data(), text.data() + end, id).ec != std::errc() || id <= 0)
    return false;
  return ::kill(id, 0) != 0 && errno == ESRCH;
}

/// A process that was killed may leave its lock to a child of its own for a moment: the child gives
/// it back when it starts another program.
bool take_lock(int descriptor) {
  constexpr int kMostTries = 400;
  constexpr std::chrono::milliseconds kBetween(5);
  for (int tries = 0; ::flock(descriptor, LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (tries == kMostTries || !is_holder_gone(descriptor)) return false;
    std::this_thread::sleep_for(kBetween);
  }
  return true;
}

/// File systems whose locks may not hold between machines. @source linux/magic.h, and the file
/// systems' own headers
constexpr std::array<std::pair<std::uint32_t, const char*>, 9> kNetworkFileSystems = {
    {{0x6969, "NFS"},
     {0x517B, "SMB"},
     {0xFE534D42, "SMB2"},
     {0xFF534D42, "CIFS"},
     {0x5346414F, "AFS"},
     {0x00C36400, "Ceph"},
     {0x0BD00BD0, "Lustre"},
     {0x47504653, "GPFS"},
     {0x19830326, "BeeGFS"}}};

void refuse_network_folder(const std::string& folder) {
  struct statfs system{};
  if (::statfs(folder.c_str(), &system) != 0) return;  // the open below says why
  for (const auto& [magic, name] : kNetworkFileSystems)
    if (static_cast<std::uint32_t>(system.f_type) == magic)
      throw WriteError(
          fmt::format("{}: a folder on {}, where locks may not hold between machines; choose a "
                      "local --output, or give --allow-network-folder if its locks hold or only "
                      "one process runs there (--slurm: every task has a folder of its own)",
                      folder, name));
}

}  // namespace

RunLock::RunLock(const std::string& folder, NetworkFolder network) : descriptor_(-1) {
  if (network == NetworkFolder::refused) refuse_network_folder(folder);
  descriptor_ = ::open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (descriptor_ < 0)
    throw WriteError(fmt::format("{}/lock: cannot write: {}; choose a folder you may write to",
                                 folder, std::strerror(errno)));
  if (!take_lock(descriptor_)) {
    const std::string who = holder(descriptor_);
    ::close(descriptor_);
    throw LockedError(fmt::format(
        "{}: {} runs in this folder; wait for it, or give another --output", folder, who));
  }
  const std::string name = own_name();
  if (::ftruncate(descriptor_, 0) == 0 &&
      ::pwrite(descriptor_, name.data(), name.size(), 0) == static_cast<ssize_t>(name.size()))
    return;
  const std::string reason = std::strerror(errno);
  ::close(descriptor_);
  throw WriteError(fmt::format(
      "{}/lock: cannot write: {}; free space or choose a folder you may write to", folder, reason));
}

RunLock::~RunLock() { ::close(descriptor_); }

}  // namespace speclab::experiments
