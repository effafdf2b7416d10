#include "experiments/drivers/levers/disk_rate.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kRequestBytes = 4 << 20;
constexpr std::size_t kHugePage = 2
                                  << 20;  ///< as buffers of streamed weights: few pieces a request

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

/// A file system without direct reads gives those of its cache.
int open_direct(const std::string& path) {
  const int direct = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT);
  return direct >= 0 || errno != EINVAL ? direct : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

double direct_read_rate(const std::string& path, std::int64_t bytes) {
  const Descriptor file{open_direct(path)};
  const std::unique_ptr<void, decltype(&std::free)> buffer(
      std::aligned_alloc(kHugePage, kRequestBytes), &std::free);
  madvise(buffer.get(), kRequestBytes, MADV_HUGEPAGE);
  std::memset(buffer.get(), 1, kRequestBytes);
  std::int64_t done = 0;
  const auto start = std::chrono::steady_clock::now();
  while (done < bytes) {
    const ssize_t count = ::pread(file.number, buffer.get(), kRequestBytes, done);
    if (count < 0)
      throw DataError("cannot read '" + escaped(path, 200) + "': " + std::strerror(errno) +
                      "; check the file");
    done += count;
    if (count < static_cast<ssize_t>(kRequestBytes)) break;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return static_cast<double>(done) / seconds.count();
}

}  // namespace speclab::experiments
