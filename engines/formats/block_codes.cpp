#include "engines/formats/block_codes.h"

#include <cstring>
#include <utility>

namespace speclab::engines {
namespace {

constexpr std::size_t kGroup = 32;

const std::uint8_t* bytes_at(const std::byte* block, std::size_t offset) {
  return reinterpret_cast<const std::uint8_t*>(block) + offset;
}

std::uint16_t half_at(const std::byte* block, std::size_t offset) {
  std::uint16_t half;
  std::memcpy(&half, block + offset, sizeof half);
  return half;
}

/// Eight codes at a time.
using Eight = std::uint64_t;
constexpr Eight kLowNibbles = 0x0F0F0F0F0F0F0F0FULL, kLowPairs = 0x0303030303030303ULL,
                kTopBits = 0x8080808080808080ULL;

Eight load_eight(const std::uint8_t* from) {
  Eight eight;
  std::memcpy(&eight, from, sizeof eight);
  return eight;
}

void store_eight(std::uint8_t* to, Eight eight) { std::memcpy(to, &eight, sizeof eight); }

/// `count` bytes of nibbles: the low ones are the first codes, the high ones those behind them.
void read_nibbles(const std::uint8_t* nibbles, std::size_t count, std::uint8_t* codes) {
  for (std::size_t i = 0; i < count; i += sizeof(Eight)) {
    const Eight eight = load_eight(nibbles + i);
    store_eight(codes + i, eight & kLowNibbles);
    store_eight(codes + count + i, eight >> 4 & kLowNibbles);
  }
}

/// Bit i of `bits` as the fifth bit of byte i.
Eight fifth_bits(std::uint8_t bits) {
  constexpr Eight kEachByte = 0x0101010101010101ULL, kBitOfByte = 0x8040201008040201ULL;
  // A byte whose bit is set comes to 128, any other to less.
  return ((((Eight{bits} * kEachByte) & kBitOfByte) + (kTopBits - kBitOfByte)) & kTopBits) >> 3;
}

void read_q4_0(const std::byte* block, BlockCodes& out) {
  out.scale = half_at(block, 0);
  read_nibbles(bytes_at(block, 2), kGroup / 2, out.codes.data());
}

void read_q4_1(const std::byte* block, BlockCodes& out) {
  out.scale = half_at(block, 0);
  out.minimum = half_at(block, 2);
  read_nibbles(bytes_at(block, 4), kGroup / 2, out.codes.data());
}

void read_q5_0(const std::byte* block, BlockCodes& out) {
  out.scale = half_at(block, 0);
  const std::uint8_t* high = bytes_at(block, 2);
  read_nibbles(bytes_at(block, 6), kGroup / 2, out.codes.data());
  for (std::size_t i = 0; i < kGroup / sizeof(Eight); ++i) {
    std::uint8_t* codes = out.codes.data() + i * sizeof(Eight);
    store_eight(codes, load_eight(codes) | fifth_bits(high[i]));
  }
}

void read_q8_0(const std::byte* block, BlockCodes& out) {
  out.scale = half_at(block, 0);
  const std::uint8_t* codes = bytes_at(block, 2);
  for (std::size_t i = 0; i < kGroup; i += sizeof(Eight))
    store_eight(out.codes.data() + i, load_eight(codes + i) ^ kTopBits);
}

void read_q4_k(const std::byte* block, BlockCodes& out) {
  const std::uint8_t* nibbles = read_q4_k_scales(block, out);
  for (std::size_t pair = 0; pair < 4; ++pair)
    read_nibbles(nibbles + pair * kGroup, kGroup, out.codes.data() + 2 * pair * kGroup);
}

void read_q6_k(const std::byte* block, BlockCodes& out) {
  const std::uint8_t *low = bytes_at(block, 0), *high = low + 128;
  std::memcpy(out.sub_scales.data(), block + 192, out.sub_scales.size());
  out.scale = half_at(block, 208);
  for (std::size_t group = 0; group < 8; ++group) {
    const std::size_t half = group / 4, row = group % 4;
    const std::uint8_t *nibbles = low + half * 64 + row % 2 * 32, *top = high + half * 32;
    for (std::size_t i = 0; i < kGroup; i += sizeof(Eight))
      store_eight(out.codes.data() + group * kGroup + i,
                  (load_eight(nibbles + i) >> (row / 2 * 4) & kLowNibbles) |
                      (load_eight(top + i) >> (row * 2) & kLowPairs) << 4);
  }
}

/// Numbers of the formats as in dequantise.cpp.
constexpr std::pair<std::uint32_t, ReadBlockCodes> kReaders[] = {{2, read_q4_0},  {3, read_q4_1},
                                                                 {6, read_q5_0},  {8, read_q8_0},
                                                                 {12, read_q4_k}, {14, read_q6_k}};

}  // namespace

ScaleAndMinimum unpack_scale(const std::uint8_t* packed, std::size_t i) {
  if (i < 4) return {packed[i] & 0x3F, packed[i + 4] & 0x3F};
  return {(packed[i + 4] & 0x0F) | (packed[i - 4] >> 2 & 0x30),
          (packed[i + 4] >> 4) | (packed[i] >> 2 & 0x30)};
}

const std::uint8_t* read_q4_k_scales(const std::byte* block, BlockCodes& out) {
  out.scale = half_at(block, 0);
  out.minimum = half_at(block, 2);
  const std::uint8_t* packed = bytes_at(block, 4);
  for (std::size_t sub = 0; sub < 8; ++sub) {
    const ScaleAndMinimum six = unpack_scale(packed, sub);
    out.sub_scales[sub] = static_cast<std::uint8_t>(six.scale);
    out.sub_minima[sub] = static_cast<std::uint8_t>(six.minimum);
  }
  return packed + 12;
}

ReadBlockCodes find_block_codes(std::uint32_t ggml_type) {
  for (const auto& [type, read] : kReaders)
    if (type == ggml_type) return read;
  return nullptr;
}

}  // namespace speclab::engines
