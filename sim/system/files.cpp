#include "sim/system/files.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "sim/system/errors.h"

namespace speclab {
namespace {

[[noreturn]] void throw_write_error(const std::string& path, const std::string& reason,
                                    const char* change) {
  throw WriteError(path + ": cannot write: " + reason + "; " + change);
}

[[noreturn]] void throw_system_error(const std::string& path) {
  throw_write_error(path, std::strerror(errno), "free space or choose a folder you may write to");
}

/// Names that were made or changed in the folder outlive a loss of power.
void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  OutputFile(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY).finish();
}

void refuse_other_kinds_of_file(const std::string& path, NameFrom from) {
  std::error_code none;
  const bool is_link = std::filesystem::is_symlink(std::filesystem::symlink_status(path, none));
  if (is_link && from == NameFrom::user)
    throw_write_error(path, "a link", "choose another name, or give the file that it leads to");
  const auto status = std::filesystem::status(path, none);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw_write_error(path, "not a regular file", "choose another name");
}

/// The name to write under, with nothing there.
std::string free_scratch(const std::string& path, NameFrom from) {
  refuse_other_kinds_of_file(path, from);
  std::string scratch = path + ".part";
  std::error_code none;
  if (from == NameFrom::program)
    ::unlink(scratch.c_str());  // left by a process that died; never followed
  else if (std::filesystem::exists(std::filesystem::symlink_status(scratch, none)))
    throw_write_error(path, "it is written as " + scratch + ", which is there already",
                      "remove that file, or choose another name");
  return scratch;
}

constexpr std::size_t kCopyBytes = 1 << 20;

/// Empty where the user is not known. @param user  empty for the one who runs the program
std::string home_of(const std::string& user) {
  if (const char* home = std::getenv("HOME"); user.empty() && home) return home;
  const passwd* entry = user.empty() ? ::getpwuid(::getuid()) : ::getpwnam(user.c_str());
  return entry ? entry->pw_dir : "";
}

}  // namespace

OutputFile::OutputFile(const std::string& path, int flags) : path_(path) {
  do descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) throw_system_error(path_);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::write(std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(descriptor_, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_system_error(path_);
    content.remove_prefix(static_cast<std::size_t>(n));
  }
}

void OutputFile::finish() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL) throw_system_error(path_);
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0 && errno != EINTR) throw_system_error(path_);
}

WholeFile::WholeFile(std::string path, NameFrom from)
    : path_(std::move(path)),
      scratch_(free_scratch(path_, from)),
      file_(scratch_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) {}

WholeFile::~WholeFile() {
  if (!is_finished_) ::unlink(scratch_.c_str());
}

void WholeFile::finish() {
  file_.finish();
  if (std::rename(scratch_.c_str(), path_.c_str()) != 0) throw_system_error(path_);
  is_finished_ = true;
  sync_folder_of(path_);
}

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
  WholeFile file(path);
  file.write(content);
  file.finish();
}

void copy_file(const std::string& from, const std::string& to) {
  std::ifstream source = open_input(from);
  WholeFile file(to);
  std::string block;
  do {
    block.resize(kCopyBytes);
    source.read(block.data(), kCopyBytes);
    block.resize(static_cast<std::size_t>(source.gcount()));
    file.write(block);
  } while (!block.empty());
  if (source.bad()) throw DataError(from + ": cannot read: " + std::strerror(errno));
  file.finish();
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

std::string expanded_home(const std::string& path) {
  if (!path.starts_with('~')) return path;
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string home = home_of(path.substr(1, end - 1));
  return home.empty() ? path : home + path.substr(end);
}

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
