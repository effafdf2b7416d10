#include "sim/core/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>
#include <utility>

#include "sim/core/errors.h"

namespace speclab {
namespace {

constexpr std::size_t kCopyBytes = 1 << 20;

[[noreturn]] void throw_write_error(const std::string& path) {
  throw WriteError(path + ": cannot write: " + std::strerror(errno) +
                   "; free space or choose a folder you may write to");
}

/// A descriptor that closes itself. Nothing that failed is tried again on it: what a failed sync
/// lost is known to nobody.
class OutputFile {
 public:
  OutputFile(const std::string& path, int flags) : path_(path) {
    do descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
    while (descriptor_ < 0 && errno == EINTR);
    if (descriptor_ < 0) throw_write_error(path_);
  }
  ~OutputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const std::string& content) {
    std::size_t done = 0;
    while (done < content.size()) {
      const ssize_t n = ::write(descriptor_, content.data() + done, content.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw_write_error(path_);
      done += static_cast<std::size_t>(n);
    }
  }

  /// On the disk when this returns. File systems that cannot sync a folder say EINVAL.
  void finish() {
    if (::fsync(descriptor_) != 0 && errno != EINVAL) throw_write_error(path_);
    const int descriptor = std::exchange(descriptor_, -1);
    if (::close(descriptor) != 0 && errno != EINTR) throw_write_error(path_);
  }

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// Names that were made or changed in the folder outlive a loss of power.
void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  OutputFile(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY).finish();
}

/// A whole file under its name or none: `fill` writes beside it.
void write_whole(const std::string& path, const std::function<void(OutputFile&)>& fill) {
  std::error_code none;
  if (const auto status = std::filesystem::status(path, none);
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw WriteError(path + ": cannot write: not a regular file; choose another name");
  const std::string scratch = path + ".part";
  ::unlink(scratch.c_str());  // left by a process that died; never followed
  try {
    OutputFile file(scratch, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    fill(file);
    file.finish();
    if (std::rename(scratch.c_str(), path.c_str()) != 0) throw_write_error(path);
    sync_folder_of(path);
  } catch (const Error&) {
    ::unlink(scratch.c_str());
    throw;
  }
}

}  // namespace

std::ifstream open_input(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (error) throw DataError(path + ": cannot read: " + error.message());
  if (!std::filesystem::is_regular_file(status))
    throw DataError(path + ": cannot read: not a regular file; check the path");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw DataError(path + ": cannot read: " + std::strerror(errno));
  return stream;
}

std::string read_file(const std::string& path) {
  std::ifstream stream = open_input(path);
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) throw DataError(path + ": cannot read: " + error.message());
  if (size > kLargestFileRead)
    throw DataError(path + ": has " + std::to_string(size) + " bytes; allowed: at most " +
                    std::to_string(kLargestFileRead) + "; is it the file that was meant?");
  std::string content(size, '\0');
  if (!stream.read(content.data(), static_cast<std::streamsize>(size))) {
    throw DataError(path + ": cannot read " + std::to_string(size) +
                    " bytes: " + std::strerror(errno));
  }
  return content;
}

void write_file(const std::string& path, const std::string& content) {
  write_whole(path, [&](OutputFile& file) { file.write(content); });
}

void copy_file(const std::string& from, const std::string& to) {
  std::ifstream source = open_input(from);
  write_whole(to, [&](OutputFile& file) {
    std::string block;
    do {
      block.resize(kCopyBytes);
      source.read(block.data(), kCopyBytes);
      block.resize(static_cast<std::size_t>(source.gcount()));
      file.write(block);
    } while (!block.empty());
    if (source.bad()) throw DataError(from + ": cannot read: " + std::strerror(errno));
  });
}

void append_file(const std::string& path, const std::string& content) {
  OutputFile file(path, O_WRONLY | O_APPEND);
  file.write(content);
  file.finish();
}

std::string user_cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (const std::string cache = variable("SPECLAB_CACHE"); !cache.empty()) return cache;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/speclab";
  return variable("HOME") + "/.cache/speclab";
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    throw WriteError(path + ": cannot make the folder: " + error.message() +
                     "; choose a folder you may write to");
}

}  // namespace speclab
