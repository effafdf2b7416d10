#include "engines/training/block_file.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "sim/core/errors.h"
#include "sim/core/files.h"
#include "sim/core/sha256.h"

namespace speclab::engines {
namespace {

/// Before every block: its bytes, and their SHA-256 as 64 hexadecimal digits.
struct BlockHead {
  std::uint64_t size = 0;
  char digest[64] = {};
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
  if (!std::filesystem::exists(path_)) write_file(path_, header_);
  lock_ = PathLock(path_);
  std::ifstream file(path_, std::ios::binary);
  if (take(file, header_.size()) != header_)
    throw DataError(fmt::format("{}: made from other prompts, settings or another model; choose another cache file or delete it", path_));
  const std::uint64_t end = std::filesystem::file_size(path_);
  std::uint64_t at = header_.size();
  while (end - at >= sizeof(BlockHead)) {
    BlockHead head;
    file.read(reinterpret_cast<char*>(&head), sizeof head);
    if (head.size > end - at - sizeof head) break;
    std::string block = take(file, head.size);
    const std::uint64_t next = at + sizeof head + head.size;
    if (sha256_text(block) != std::string_view(head.digest, sizeof head.digest)) {
      if (next == end) break;
      throw DataError(fmt::format("{}: byte {}: the block's checksum is wrong; cut the file there to keep what is before, or delete it to make it again", path_, at));
    }
    at = next;
    read(std::move(block));
  }
  file.close();
  if (at < end) std::filesystem::resize_file(path_, at);
}

void BlockFile::append(const std::string& block) const {
  BlockHead head{block.size()};
  std::memcpy(head.digest, sha256_text(block).data(), sizeof head.digest);
  append_file(path_, std::string(reinterpret_cast<const char*>(&head), sizeof head) + block);
}

}  // namespace speclab::engines
