#pragma once
// Low-bit blocks of GGUF as whole numbers: codes, and the scales that turn them into weights.

#include <array>
#include <cstddef>
#include <cstdint>

namespace speclab::engines {

/// Six-bit scale and minimum of sub-block `i` of Q4_K, packed in 12 bytes: four low six-bit scales,
/// four low six-bit minima, and four bytes with the low halves of the upper ones, whose top bits
/// sit above the first eight.
struct ScaleAndMinimum {
  int scale;
  int minimum;
};
ScaleAndMinimum unpack_scale(const std::uint8_t* packed, std::size_t i);

/// One block. Only the fields that its format has are set.
struct BlockCodes {
  std::array<std::uint8_t, 256> codes;      ///< in order of the depth; of Q8_0 with 128 added
  std::uint16_t scale, minimum;             ///< halves
  std::array<std::uint8_t, 16> sub_scales;  ///< of Q4_K and, as signed bytes, of Q6_K
  std::array<std::uint8_t, 8> sub_minima;   ///< of Q4_K
};

/// Reads one block of a format with `codes`, see find_block_codes.
using ReadBlockCodes = void (*)(const std::byte* block, BlockCodes& out);

/// Reads the scales and minima of a block of Q4_K alone. @return its nibbles: 32 bytes for two
/// sub-blocks
const std::uint8_t* read_q4_k_scales(const std::byte* block, BlockCodes& out);

/// Null for a format that is not low-bit, or has no codes here.
ReadBlockCodes find_block_codes(std::uint32_t ggml_type);

}  // namespace speclab::engines
