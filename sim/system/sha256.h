#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace speclab {

/// SHA-256 of a stream of bytes. @source FIPS 180-4
class Sha256 {
 public:
  /// Compresses whole blocks of 64 bytes into a state.
  using Compress = void (*)(std::array<std::uint32_t, 8>& state, std::span<const std::byte> blocks);

  Sha256();
  /// Takes a chosen compression, so that each can be tested.
  explicit Sha256(Compress compress) : compress_(compress) {}

  void update(std::span<const std::byte> bytes);
  /// The digest in 64 lower-case hexadecimal digits; ends the stream.
  std::string finish();

 private:
  Compress compress_;
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> pending_ = {};
  std::uint64_t num_bytes_ = 0;
};

void compress_portable(std::array<std::uint32_t, 8>& state, std::span<const std::byte> blocks);
/// A compression by the processor's own instructions, or null if it has none.
Sha256::Compress compress_of_processor();

std::string sha256_text(std::string_view text);
/// @throws ModelFileError if the file cannot be read
std::string sha256_file(const std::string& path);

}  // namespace speclab
