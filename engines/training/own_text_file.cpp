#include "engines/training/own_text_file.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <type_traits>

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

constexpr char kOwnTextMagic[] = "speclab own text 3\n";

/// Appends and reads plain values; reading past the end is a torn block.
class Bytes {
 public:
  explicit Bytes(std::string data = {}) : data_(std::move(data)) {}

  template <typename T>
  void put(const T* values, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    data_.append(reinterpret_cast<const char*>(values), sizeof(T) * count);
  }
  template <typename T>
  bool take(T* values, std::size_t count) {
    if (data_.size() - at_ < sizeof(T) * count) return false;
    std::memcpy(values, data_.data() + at_, sizeof(T) * count);
    at_ += sizeof(T) * count;
    return true;
  }
  const std::string& data() const { return data_; }
  std::size_t left() const { return data_.size() - at_; }

 private:
  std::string data_;
  std::size_t at_ = 0;
};

struct TextHeader {
  std::int32_t prompt_length, num_tokens;
  float temperature;
  std::int32_t hidden_size;  ///< 0 where no hidden states are kept
};

std::string serialised(const std::vector<OwnText>& batch) {
  Bytes bytes;
  for (const OwnText& text : batch) {
    const auto num_tokens = static_cast<std::int32_t>(text.tokens.size());
    const TextHeader header{text.prompt_length, num_tokens, text.temperature, text.state_size()};
    bytes.put(&header, 1);
    bytes.put(text.tokens.data(), text.tokens.size());
    bytes.put(text.laws.data(), text.laws.size());
    bytes.put(text.hidden.data(), text.hidden.size());
  }
  return bytes.data();
}

/// Before room is made for what it announces.
void check_header(const TextHeader& header, std::size_t left, const std::string& path) {
  const bool valid = header.prompt_length >= 1 && header.num_tokens >= header.prompt_length &&
                     header.hidden_size >= 0;
  if (!valid || static_cast<std::size_t>(header.num_tokens) > left ||
      static_cast<std::size_t>(header.hidden_size) > left)
    throw DataError(
        fmt::format("{}: a text of {} tokens, {} of them a prompt, and states of {} values; not "
                    "what this program writes: delete the file to make it again",
                    path, header.num_tokens, header.prompt_length, header.hidden_size));
}

std::vector<OwnText> parsed(std::string block, const std::string& path) {
  Bytes bytes(std::move(block));
  std::vector<OwnText> batch;
  for (TextHeader header; bytes.take(&header, 1);) {
    check_header(header, bytes.left(), path);
    OwnText text{header.prompt_length,
                 header.temperature,
                 std::vector<Token>(static_cast<std::size_t>(header.num_tokens)),
                 {},
                 {}};
    text.laws.resize(static_cast<std::size_t>(header.num_tokens - header.prompt_length));
    text.hidden.resize(static_cast<std::size_t>(header.num_tokens - 1) *
                       static_cast<std::size_t>(header.hidden_size));
    if (!bytes.take(text.tokens.data(), text.tokens.size()) ||
        !bytes.take(text.laws.data(), text.laws.size()) ||
        !bytes.take(text.hidden.data(), text.hidden.size()))
      throw DataError(fmt::format(
          "{}: a block ends in the middle of a text; delete the file to make it again", path));
    batch.push_back(std::move(text));
  }
  return batch;
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

OwnTextFile::OwnTextFile(const std::string& path, const std::string& digest)
    : file_(path, kOwnTextMagic + digest + "\n") {
  file_.open([&](std::string block) {
    for (OwnText& text : parsed(std::move(block), path)) texts_.push_back(std::move(text));
  });
}

void OwnTextFile::append(std::vector<OwnText> batch) {
  file_.append(serialised(batch));
  for (OwnText& text : batch) texts_.push_back(std::move(text));
}

}  // namespace speclab::engines
