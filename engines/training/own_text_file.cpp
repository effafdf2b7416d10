#include "engines/training/own_text_file.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <type_traits>

#include "sim/core/errors.h"
#include "sim/core/files.h"
#include "sim/core/sha256.h"

namespace speclab::engines {
namespace {

constexpr char kMagic[] = "speclab own text 1\n";

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

 private:
  std::string data_;
  std::size_t at_ = 0;
};

struct TextHeader {
  std::int32_t prompt_length, num_tokens;
  float temperature;
};

std::string serialised(const std::vector<OwnText>& batch) {
  Bytes bytes;
  for (const OwnText& text : batch) {
    const TextHeader header{text.prompt_length, static_cast<std::int32_t>(text.tokens.size()), text.temperature};
    bytes.put(&header, 1);
    bytes.put(text.tokens.data(), text.tokens.size());
    bytes.put(text.laws.data(), text.laws.size());
  }
  return bytes.data();
}

std::vector<OwnText> parsed(std::string block, const std::string& path) {
  Bytes bytes(std::move(block));
  std::vector<OwnText> batch;
  for (TextHeader header; bytes.take(&header, 1);) {
    OwnText text{header.prompt_length, header.temperature, std::vector<Token>(static_cast<std::size_t>(header.num_tokens)), {}};
    text.laws.resize(static_cast<std::size_t>(header.num_tokens - header.prompt_length));
    if (!bytes.take(text.tokens.data(), text.tokens.size()) || !bytes.take(text.laws.data(), text.laws.size()))
      throw DataError(fmt::format("{}: a block ends in the middle of a text; delete the file to make it again", path));
    batch.push_back(std::move(text));
  }
  return batch;
}

}  // namespace

OwnTextFile::OwnTextFile(const std::string& path, const std::string& digest) : path_(path) {
  if (std::filesystem::exists(path)) read(read_file(path), digest);
  else write_file(path, kMagic + digest + "\n");
}

void OwnTextFile::read(const std::string& bytes, const std::string& digest) {
  const std::string header = kMagic + digest + "\n";
  if (!bytes.starts_with(header))
    throw DataError(fmt::format("{}: made from other prompts, settings or another model; choose another cache file or delete it", path_));
  std::size_t at = header.size();
  while (at < bytes.size()) {
    std::uint64_t size = 0;
    const std::size_t body = at + sizeof size + 64;
    if (body > bytes.size()) break;
    std::memcpy(&size, bytes.data() + at, sizeof size);
    if (size > bytes.size() - body) break;
    const std::string block = bytes.substr(body, size);
    if (sha256_text(block) != bytes.substr(at + sizeof size, 64))
      throw DataError(fmt::format("{}: byte {}: the block's checksum is wrong; delete the file to make it again", path_, at));
    for (OwnText& text : parsed(block, path_)) texts_.push_back(std::move(text));
    at = body + size;
  }
  if (at < bytes.size()) std::filesystem::resize_file(path_, at);
}

void OwnTextFile::append(const std::vector<OwnText>& batch) {
  const std::string block = serialised(batch);
  const std::uint64_t size = block.size();
  append_file(path_, std::string(reinterpret_cast<const char*>(&size), sizeof size) + sha256_text(block) + block);
  texts_.insert(texts_.end(), batch.begin(), batch.end());
}

}  // namespace speclab::engines
