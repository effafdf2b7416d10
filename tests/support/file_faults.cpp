#include "tests/support/file_faults.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <optional>

namespace speclab::testing {
namespace {

struct Watch {
  std::string folder;
  FileFaults::Hook before;
};
thread_local std::optional<Watch> watch;
thread_local bool is_in_hook = false;

std::string path_of(int descriptor) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  return {path.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

/// The verdict over a call; a call that nobody watches is made.
FileVerdict verdict_on(const FileOperation& operation) {
  if (!watch || is_in_hook || !operation.path.starts_with(watch->folder)) return {};
  is_in_hook = true;
  const FileVerdict verdict = watch->before(operation);
  is_in_hook = false;
  return verdict;
}

bool is_watched() { return watch && !is_in_hook; }

template <typename Call>
auto judged(const FileOperation& operation, const Call& call) -> decltype(call()) {
  const FileVerdict verdict = verdict_on(operation);
  if (verdict.error == 0) return call();
  errno = verdict.error;
  return -1;
}

/// A write, at most as much of it as the verdict lets through.
template <typename Make>
ssize_t judged_write(FileCall call, int descriptor, const void* data, std::size_t size,
                     const Make& make) {
  if (!is_watched()) return make(size);
  const FileVerdict verdict = verdict_on({.call = call,
                                          .path = path_of(descriptor),
                                          .data = static_cast<const char*>(data),
                                          .size = size,
                                          .descriptor = descriptor});
  if (verdict.error == 0) return make(std::min(size, verdict.size));
  errno = verdict.error;
  return -1;
}

int system_open(const char* path, int flags, mode_t mode) {
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

}  // namespace

FileFaults::FileFaults(std::string folder, Hook before) {
  watch.emplace(Watch{std::move(folder), std::move(before)});
}
FileFaults::~FileFaults() { watch.reset(); }

}  // namespace speclab::testing

using namespace speclab::testing;

// The system's own names, found before the C library's in this program and in the libraries it
// uses.
extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  const bool changes = (flags & (O_WRONLY | O_RDWR | O_DIRECTORY)) != 0;
  if (!changes || !is_watched()) return system_open(path, flags, mode);
  return judged({.call = FileCall::open, .path = path},
                [&] { return system_open(path, flags, mode); });
}

ssize_t write(int descriptor, const void* data, size_t size) {
  return judged_write(FileCall::write, descriptor, data, size, [&](size_t bytes) {
    return static_cast<ssize_t>(::syscall(SYS_write, descriptor, data, bytes));
  });
}

ssize_t pwrite(int descriptor, const void* data, size_t size, off_t offset) {
  return judged_write(FileCall::pwrite, descriptor, data, size, [&](size_t bytes) {
    return static_cast<ssize_t>(::syscall(SYS_pwrite64, descriptor, data, bytes, offset));
  });
}

int fsync(int descriptor) {
  const auto make = [&] { return static_cast<int>(::syscall(SYS_fsync, descriptor)); };
  return is_watched()
             ? judged(
                   {.call = FileCall::fsync, .path = path_of(descriptor), .descriptor = descriptor},
                   make)
             : make();
}

int close(int descriptor) {
  const auto make = [&] { return static_cast<int>(::syscall(SYS_close, descriptor)); };
  if (!is_watched()) return make();
  const FileVerdict verdict =
      verdict_on({.call = FileCall::close, .path = path_of(descriptor), .descriptor = descriptor});
  const int result = make();
  if (verdict.error == 0) return result;
  errno = verdict.error;
  return -1;
}

int rename(const char* from, const char* to) noexcept {
  return judged({.call = FileCall::rename, .path = from, .new_path = to},
                [&] { return static_cast<int>(::syscall(SYS_rename, from, to)); });
}

int truncate(const char* path, off_t size) noexcept {
  return judged({.call = FileCall::truncate, .path = path},
                [&] { return static_cast<int>(::syscall(SYS_truncate, path, size)); });
}

int ftruncate(int descriptor, off_t size) noexcept {
  const auto make = [&] { return static_cast<int>(::syscall(SYS_ftruncate, descriptor, size)); };
  return is_watched() ? judged({.call = FileCall::truncate, .path = path_of(descriptor)}, make)
                      : make();
}

int unlink(const char* path) noexcept {
  return judged({.call = FileCall::unlink, .path = path},
                [&] { return static_cast<int>(::syscall(SYS_unlink, path)); });
}

int mkdir(const char* path, mode_t mode) noexcept {
  return judged({.call = FileCall::make_folder, .path = path},
                [&] { return static_cast<int>(::syscall(SYS_mkdir, path, mode)); });
}

int remove(const char* path) noexcept {
  return judged({.call = FileCall::unlink, .path = path}, [&] {
    const auto unlinked = static_cast<int>(::syscall(SYS_unlink, path));
    return unlinked != 0 && errno == EISDIR ? static_cast<int>(::syscall(SYS_rmdir, path))
                                            : unlinked;
  });
}

}  // extern "C"
