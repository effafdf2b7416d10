#pragma once
// The element types of GGUF tensors that are read, and their values in float32.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace speclab::engines {

/// One block format: `block_elements` values stored in `block_bytes` bytes.
struct BlockFormat {
  std::uint32_t ggml_type;  ///< number in the file
  std::string_view name;    ///< "Q4_1"
  std::uint32_t block_elements;
  std::uint32_t block_bytes;
  /// Converts whole blocks; every product and sum is rounded once, as the Python package `gguf`
  /// does it.
  void (*dequantise)(std::span<const std::byte> blocks, float* values);
};

/// Null for a type that is not read.
const BlockFormat* find_block_format(std::uint32_t ggml_type);
const BlockFormat* find_block_format(std::string_view name);
/// All names, for error messages.
std::string known_block_formats();

/// Exact. NaN payloads are kept.
float half_to_float(std::uint16_t bits);
float bfloat16_to_float(std::uint16_t bits);
/// Nearest half, ties to even; beyond its range infinity.
std::uint16_t float_to_half(float value);

}  // namespace speclab::engines
