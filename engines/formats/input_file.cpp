#include "engines/formats/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>
#include <utility>

#include "sim/system/errors.h"
#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

constexpr std::string_view kBlobs = "../../blobs/";
constexpr std::size_t kGitDigest = 40, kSha256 = 64;  // of small files, of git-lfs

bool is_blob_path(std::string_view text) {
  if (!text.starts_with(kBlobs)) return false;
  const std::string_view digest = text.substr(kBlobs.size());
  return (digest.size() == kGitDigest || digest.size() == kSha256) &&
         digest.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The hub's cache keeps files as "blobs/DIGEST" and links to them. Copies of it by tools without
/// links, such as git on some systems, have the target of each link as the text of a small file.
/// @return the path of the blob that such a file stands for; nothing for any other file
std::optional<std::string> blob_behind(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size < kBlobs.size() + kGitDigest || size > kBlobs.size() + kSha256)
    return std::nullopt;
  std::string text(static_cast<std::size_t>(size), '\0');
  std::ifstream(path, std::ios::binary).read(text.data(), static_cast<std::streamsize>(size));
  if (!is_blob_path(text)) return std::nullopt;
  return (std::filesystem::path(path).parent_path() / text).string();
}

constexpr std::size_t kMaxMessage = 300;
constexpr std::size_t kMaxPath = 90;

/// The end of a long path says more than its beginning.
std::string shown_path(const std::string& path) {
  return path.size() <= kMaxPath
             ? escaped(path, kMaxPath)
             : "..." + escaped(std::string_view(path).substr(path.size() - kMaxPath), kMaxPath);
}

using namespace std::literals;

constexpr std::size_t kFirstBytes = 512;

/// A kind of file that begins with certain bytes.
struct Beginning {
  std::string_view bytes;
  std::string_view kind;
  std::string_view change;
};

constexpr std::string_view kConvert = "convert the model to safetensors or GGUF",
                           kUnpack = "unpack it, and give what is in it",
                           kOldGgml = "convert the model to GGUF version 3";

/// @source magic numbers of the formats; git-lfs/docs/spec.md; llama.cpp for the older GGML files
constexpr std::array<Beginning, 15> kBeginnings = {{
    {"version https://git-lfs"sv, "a pointer of git-lfs, not the file",
     "run git lfs pull in its folder, or download the file"},
    {"PK\x03\x04"sv, "a zip archive, as PyTorch saves pickles", kConvert},
    {"\x80\x02"sv, "a pickle", kConvert},
    {"\x80\x03"sv, "a pickle", kConvert},
    {"\x80\x04"sv, "a pickle", kConvert},
    {"\x80\x05"sv, "a pickle", kConvert},
    {"GGUF"sv, "a GGUF file", "give its path as the model"},
    {"lmgg"sv, "an older GGML file", kOldGgml},
    {"fmgg"sv, "an older GGML file", kOldGgml},
    {"tjgg"sv, "an older GGML file", kOldGgml},
    {"algg"sv, "an older GGML adapter", "merge it into its base model and give that"},
    {"\x1f\x8b"sv, "a gzip archive", kUnpack},
    {"BZh"sv, "a bzip2 archive", kUnpack},
    {"\xfd"sv
     "7zXZ",
     "an xz archive", kUnpack},
    {"\x28\xb5\x2f\xfd"sv, "a zstd archive", kUnpack},
}};

/// Web pages come in place of files whose download needs a login.
bool is_web_page(std::string_view bytes) {
  std::string lower(bytes.substr(0, 64));
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::size_t first = lower.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return false;
  const std::string_view text = std::string_view(lower).substr(first);
  return text.starts_with("<!doctype html") || text.starts_with("<html");
}

bool is_safetensors(std::string_view bytes) {
  return bytes.size() > 9 && bytes.substr(5, 3) == "\0\0\0"sv && bytes.substr(8, 2) == "{\"";
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
  while (continues_character(message[end])) --end;
  throw ModelFileError(message.substr(0, end) + "...");
}

std::optional<FileStamp> stamp_of(int descriptor) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileStamp{status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
                   status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

InputFile::InputFile(std::string path) : InputFile(std::move(path), 0) {}

InputFile::InputFile(std::string path, int flags) : path_(std::move(path)) {
  if (auto blob = blob_behind(path_)) path_ = *std::move(blob);
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
  if (descriptor_ < 0 && flags != 0 && errno == EINVAL)
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  else
    is_direct_ = flags != 0;
  if (descriptor_ < 0)
    fail(0,
         {"file", std::strerror(errno), "a readable file", "check the path and its permissions"});
  const std::optional<FileStamp> stamp = stamp_of(descriptor_);
  if (!stamp) {
    ::close(descriptor_);
    fail(0, {"file", "not a regular file", "a model file", "check the path"});
  }
  stamp_ = *stamp;
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      stamp_(other.stamp_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_direct_(other.is_direct_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  const std::size_t done = read_until_end(offset, into);
  if (done < into.size())
    fail(offset,
         {"data", fmt::format("end of file at byte {}", offset + done),
          fmt::format("{} bytes from byte {}", into.size(), offset), FileProblem::kDamaged});
}

std::size_t InputFile::read_until_end(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size() && offset + done < stamp_.size) {
    const ssize_t count = ::pread(descriptor_, into.data() + done, into.size() - done,
                                  static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(offset, {"data", std::strerror(errno), "readable bytes", "check the disk"});
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

InputFile InputFile::reopened(int flags) const {
  InputFile again(path_, flags);
  if (again.stamp_ != stamp_) fail_changed();
  return again;
}

InputFile InputFile::reopened_direct() const {
  InputFile direct = reopened(O_DIRECT);
  return direct.is_direct_ && direct.reads_directly() ? std::move(direct) : reopened(0);
}

/// Some file systems refuse at the first read.
bool InputFile::reads_directly() const {
  alignas(kDirectAlignment) std::array<std::byte, kDirectAlignment> page;
  return ::pread(descriptor_, page.data(), page.size(), 0) >= 0 || errno != EINVAL;
}

void InputFile::require_unchanged() const {
  if (stamp_of(descriptor_) != stamp_) fail_changed();
}

void InputFile::fail_changed() const {
  fail(0, {"contents", "changed since the file was opened", "a file that stays as it is",
           "let the other program finish, and start again"});
}

std::optional<OtherFile> other_file(std::string_view first_bytes) {
  for (const Beginning& beginning : kBeginnings)
    if (first_bytes.starts_with(beginning.bytes))
      return OtherFile{std::string(beginning.kind), std::string(beginning.change)};
  if (is_web_page(first_bytes))
    return OtherFile{"a web page", "download the file itself; a page of the server came instead"};
  if (is_safetensors(first_bytes))
    return OtherFile{"a safetensors file", "give its folder, with config.json beside it"};
  return std::nullopt;
}

void refuse_other_file(const InputFile& file, std::string_view wanted) {
  std::string bytes(std::min<std::uint64_t>(kFirstBytes, file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(bytes)));
  if (const auto other = other_file(bytes))
    file.fail(0, {"file", other->kind, std::string(wanted), other->change});
}

}  // namespace speclab::engines
