#pragma once
// Sequential little-endian reading of a file's header, with a limit that no length in the file can
// exceed.

#include <bit>
#include <concepts>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "engines/formats/input_file.h"

namespace speclab::engines {

static_assert(std::endian::native == std::endian::little,
              "model files are little-endian and read as they lie");

/// Reads forward from byte 0. Errors name the place set last and the field being read:
/// "metadata[3].key".
class ByteCursor {
 public:
  /// @param file   outlives the cursor
  /// @param limit  bytes that may be read at most, whatever the file says
  ByteCursor(const InputFile& file, std::uint64_t limit);

  std::uint64_t offset() const { return offset_; }
  std::uint64_t bytes_left() const { return end_ - offset_; }
  void set_place(std::string_view list, std::uint64_t index);

  /// @throws ModelFileError if the file or the limit ends first
  template <typename T>
    requires std::integral<T> || std::floating_point<T>
  T read(std::string_view field) {
    T value;
    std::memcpy(&value, take(sizeof(T), field), sizeof(T));
    return value;
  }
  /// A 64-bit length and that many bytes.
  /// @throws ModelFileError if the length is below `min_length`, above `max_length` or beyond the
  /// end
  std::string read_string(std::string_view field, std::uint64_t min_length,
                          std::uint64_t max_length);

  /// Blames `bytes` bytes before the current position.
  [[noreturn]] void fail(std::uint64_t bytes, std::string_view field, std::string found,
                         std::string allowed, std::string change = FileProblem::kDamaged) const;

 private:
  const std::byte* take(std::size_t count, std::string_view field);
  void refill(std::size_t count);

  const InputFile& file_;
  std::uint64_t end_;
  std::uint64_t offset_ = 0;
  std::vector<std::byte> buffer_;
  std::size_t buffer_begin_ = 0;
  std::size_t buffer_end_ = 0;
  std::string_view list_;
  std::uint64_t index_ = 0;
};

}  // namespace speclab::engines
