#include "sim/system/whole_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
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

}  // namespace speclab
