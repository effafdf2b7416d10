#include "experiments/drivers/levers/disk_rate.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kRequestBytes = 4 << 20;
/// Buffers of streamed weights have such pages too: few of them make a request.
constexpr std::size_t kHugePage = 2 << 20;

[[noreturn]] void fail(const std::string& path) {
  throw DataError("cannot read '" + escaped(path, 200) + "': " + std::strerror(errno) +
                  "; check the file and its permissions");
}

/// A descriptor that is closed with its owner.
struct OpenFile {
  explicit OpenFile(const std::string& path)
      : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT)) {
    // A file system without direct reads gives those of its cache.
    if (descriptor < 0 && errno == EINVAL) descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail(path);
  }
  ~OpenFile() { ::close(descriptor); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor;
};

using Buffer = std::unique_ptr<void, decltype(&std::free)>;

Buffer make_buffer() {
  Buffer buffer(std::aligned_alloc(kHugePage, kRequestBytes), &std::free);
  if (!buffer) throw std::bad_alloc();
  madvise(buffer.get(), kRequestBytes, MADV_HUGEPAGE);
  std::memset(buffer.get(), 1, kRequestBytes);
  return buffer;
}

}  // namespace

double direct_read_rate(const std::string& path, std::int64_t bytes) {
  const OpenFile file(path);
  const Buffer buffer = make_buffer();
  std::int64_t done = 0;
  const auto start = std::chrono::steady_clock::now();
  while (done < bytes) {
    const ssize_t count = ::pread(file.descriptor, buffer.get(), kRequestBytes, done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path);
    done += count;
    if (count < static_cast<ssize_t>(kRequestBytes)) break;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return static_cast<double>(done) / seconds.count();
}

}  // namespace speclab::experiments
