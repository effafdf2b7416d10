#include "engines/training/block_file.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"

namespace speclab::engines {
namespace {

/// Before every block: its bytes, their SHA-256 as 64 hexadecimal digits, and of both the first 16
/// digits of theirs, so that a damaged size is not taken for a torn block.
struct BlockHead {
  std::uint64_t size = 0;
  char digest[64] = {};
  char own_digest[16] = {};

  std::string computed_own_digest() const {
    return sha256_text(
               std::string(reinterpret_cast<const char*>(this), offsetof(BlockHead, own_digest)))
        .substr(0, sizeof own_digest);
  }
};

/// The next `count` bytes; fewer at the end of the file.
std::string take(std::ifstream& file, std::uint64_t count) {
  std::string bytes(count, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

}  // namespace

void BlockFile::open(const std::function<void(std::string block)>& read) {
  if (std::filesystem::exists(path_) && !std::filesystem::is_regular_file(path_))
    throw ConfigError(path_ + ": is no regular file; choose another cache file");
  if (const auto folder = std::filesystem::path(path_).parent_path(); !folder.empty())
    make_folder(folder.string());
  std::ofstream(path_, std::ios::app)
      .close();  // is there from here on, so that one process can lock it before it is written
  lock_ = PathLock(path_);
  if (std::filesystem::file_size(path_) == 0) append_file(path_, header_);
  std::ifstream file(path_, std::ios::binary);
  check_header(take(file, header_.size()));
  const std::uint64_t end = std::filesystem::file_size(path_);
  std::uint64_t at = header_.size();
  while (end - at >= sizeof(BlockHead)) {
    BlockHead head;
    file.read(reinterpret_cast<char*>(&head), sizeof head);
    if (head.computed_own_digest() != std::string_view(head.own_digest, sizeof head.own_digest))
      throw_damage(at);
    if (head.size > end - at - sizeof head) break;
    std::string block = take(file, head.size);
    const std::uint64_t next = at + sizeof head + head.size;
    if (sha256_text(block) != std::string_view(head.digest, sizeof head.digest)) {
      if (next == end) break;
      throw_damage(at);
    }
    at = next;
    read(std::move(block));
  }
  file.close();
  if (at < end) std::filesystem::resize_file(path_, at);
}

void BlockFile::check_header(const std::string& found) const {
  const std::string kind = header_.substr(0, header_.find('\n') + 1);
  if (!found.starts_with(kind))
    throw ConfigError(fmt::format("{}: does not begin with '{}'; choose another cache file", path_,
                                  kind.substr(0, kind.size() - 1)));
  if (found != header_)
    throw DataError(
        fmt::format("{}: made from other prompts, settings or another model; choose another cache "
                    "file or delete it",
                    path_));
}

void BlockFile::throw_damage(std::uint64_t at) const {
  throw DataError(
      fmt::format("{}: byte {}: the block's checksum is wrong; cut the file there to keep what is "
                  "before, or delete it to make it again",
                  path_, at));
}

void BlockFile::append(const std::string& block) const {
  BlockHead head{block.size()};
  std::memcpy(head.digest, sha256_text(block).data(), sizeof head.digest);
  std::memcpy(head.own_digest, head.computed_own_digest().data(), sizeof head.own_digest);
  append_file(path_, std::string(reinterpret_cast<const char*>(&head), sizeof head) + block);
}

}  // namespace speclab::engines
