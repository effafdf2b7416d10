#pragma once
// Numbers below 2^24 in three bytes each.

#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace speclab::engines {

class Packed24 {
 public:
  static constexpr std::uint32_t kLimit = 1u << 24;

  Packed24() = default;
  /// @param bytes  [3 * size], little-endian, as stored() gives them
  explicit Packed24(std::string_view bytes) : bytes_(bytes) { bytes_ += '\0'; }

  std::size_t size() const { return bytes_.size() / 3; }
  std::uint32_t operator[](std::size_t i) const {
    std::uint32_t value;
    std::memcpy(&value, bytes_.data() + 3 * i, sizeof value);
    return value & (kLimit - 1);
  }
  /// @param value  below kLimit
  void push_back(std::uint32_t value) {
    bytes_.insert(bytes_.size() - 1, reinterpret_cast<const char*>(&value), 3);
  }
  std::string_view stored() const { return std::string_view(bytes_).substr(0, 3 * size()); }

 private:
  std::string bytes_ =
      std::string(1, '\0');  ///< one byte more than is stored, so that four can be read at once
};

}  // namespace speclab::engines
