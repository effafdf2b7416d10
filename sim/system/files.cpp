#include "sim/system/files.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "sim/system/errors.h"
#include "sim/system/whole_file.h"

namespace speclab {
namespace {

constexpr std::size_t kCopyBytes = 1 << 20;

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

}  // namespace speclab
