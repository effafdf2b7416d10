#include "engines/formats/byte_cursor.h"

#include <fmt/format.h>

#include <algorithm>

namespace speclab::engines {
namespace {

constexpr std::size_t kChunkBytes = 1 << 16;

}  // namespace

ByteCursor::ByteCursor(const InputFile& file, std::uint64_t limit)
    : file_(file), end_(std::min(limit, file.size())) {}

void ByteCursor::set_place(std::string_view list, std::uint64_t index) {
  list_ = list;
  index_ = index;
}

std::string ByteCursor::read_string(std::string_view field, std::uint64_t min_length,
                                    std::uint64_t max_length) {
  const auto length = read<std::uint64_t>(field);
  if (length < min_length || length > max_length) {
    fail(sizeof(length), field, fmt::format("length {}", length),
         fmt::format("length {} to {}", min_length, max_length));
  }
  if (length > bytes_left()) {
    fail(sizeof(length), field, fmt::format("length {}", length),
         fmt::format("at most the {} bytes left", bytes_left()));
  }
  const auto count = static_cast<std::size_t>(length);
  return {reinterpret_cast<const char*>(take(count, field)), count};
}

void ByteCursor::fail(std::uint64_t bytes, std::string_view field, std::string found,
                      std::string allowed, std::string change) const {
  std::string path =
      list_.empty() ? std::string(field) : fmt::format("{}[{}].{}", list_, index_, field);
  file_.fail(offset_ - bytes,
             {std::move(path), std::move(found), std::move(allowed), std::move(change)});
}

const std::byte* ByteCursor::take(std::size_t count, std::string_view field) {
  if (count > bytes_left())
    fail(0, field, fmt::format("{} bytes left", bytes_left()), fmt::format("at least {}", count));
  if (count > buffer_end_ - buffer_begin_) refill(count);
  const std::byte* data = buffer_.data() + buffer_begin_;
  buffer_begin_ += count;
  offset_ += count;
  return data;
}

void ByteCursor::refill(std::size_t count) {
  const auto wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(bytes_left(), std::max(count, kChunkBytes)));
  if (wanted > buffer_.size()) buffer_.resize(wanted);
  file_.read(offset_, std::span(buffer_).first(wanted));
  buffer_begin_ = 0;
  buffer_end_ = wanted;
}

}  // namespace speclab::engines
