#include "engines/training/own_text_file.h"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

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
