#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace speclab::testing {

/// A file in memory that programs open by path, for tests that need thousands of them.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("speclab-test", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw std::runtime_error("memfd_create failed");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  void write(const std::string& content) {
    const bool written = ::ftruncate(descriptor_, 0) == 0 &&
                         ::pwrite(descriptor_, content.data(), content.size(), 0) ==
                             static_cast<ssize_t>(content.size());
    if (!written) throw std::runtime_error("writing a memory file failed");
  }

 private:
  int descriptor_;
};

}  // namespace speclab::testing
