#include "engines/formats/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engines/formats/blob_link.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

constexpr std::size_t kMaxMessage = 300;
constexpr std::size_t kMaxPath = 90;

/// The end of a long path says more than its beginning.
std::string shown_path(const std::string& path) {
  return path.size() <= kMaxPath
             ? escaped(path, kMaxPath)
             : "..." + escaped(std::string_view(path).substr(path.size() - kMaxPath), kMaxPath);
}

}  // namespace

void throw_model_file_error(const std::string& path, std::uint64_t offset,
                            const FileProblem& problem) {
  const std::string place =
      offset == 0 ? shown_path(path) : fmt::format("{}: byte {}", shown_path(path), offset);
  std::string message = fmt::format("{}: {} = {}; allowed: {}; {}", place, problem.field,
                                    problem.found, problem.allowed, problem.change);
  if (message.size() <= kMaxMessage) throw ModelFileError(message);
  std::size_t end = kMaxMessage - 3;
  while ((static_cast<unsigned char>(message[end]) & 0xC0) == 0x80)
    --end;  // not inside a character
  throw ModelFileError(message.substr(0, end) + "...");
}

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  if (auto blob = blob_behind(path_)) path_ = *std::move(blob);
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0)
    fail(0,
         {"file", std::strerror(errno), "a readable file", "check the path and its permissions"});
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    fail(0, {"file", "not a regular file", "a model file", "check the path"});
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      size_(other.size_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t count = ::pread(descriptor_, into.data() + done, into.size() - done,
                                  static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(offset, {"data", std::strerror(errno), "readable bytes", "check the disk"});
    if (count == 0) {
      fail(offset,
           {"data", fmt::format("end of file at byte {}", offset + done),
            fmt::format("{} bytes from byte {}", into.size(), offset), FileProblem::kDamaged});
    }
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace speclab::engines
