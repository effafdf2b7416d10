#include "engines/formats/dequantise.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "engines/formats/block_codes.h"

namespace speclab::engines {
namespace {

constexpr std::size_t kBlock = 32;        // elements of the small formats
constexpr std::size_t kSuperBlock = 256;  // elements of the K formats

template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

float load_half(const std::byte* from) { return half_to_float(load<std::uint16_t>(from)); }

/// Runs `convert(block, values)` over all blocks.
template <std::size_t kBytes, std::size_t kElements, typename Convert>
void for_each_block(std::span<const std::byte> blocks, float* values, Convert convert) {
  for (const std::byte* block = blocks.data(); block != blocks.data() + blocks.size();
       block += kBytes, values += kElements) {
    convert(block, values);
  }
}

void dequantise_f32(std::span<const std::byte> blocks, float* values) {
  std::memcpy(values, blocks.data(), blocks.size());
}

void dequantise_f16(std::span<const std::byte> blocks, float* values) {
  for_each_block<2, 1>(blocks, values,
                       [](const std::byte* block, float* out) { *out = load_half(block); });
}

void dequantise_bf16(std::span<const std::byte> blocks, float* values) {
  for_each_block<2, 1>(blocks, values, [](const std::byte* block, float* out) {
    *out = bfloat16_to_float(load<std::uint16_t>(block));
  });
}

/// 16 bytes of nibbles: the low ones are elements 0 to 15, the high ones 16 to 31.
template <typename Value>
void unpack_nibbles(const std::byte* nibbles, float* out, Value value) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(nibbles);
  for (std::size_t i = 0; i < kBlock / 2; ++i) out[i] = value(bytes[i] & 0x0F, i);
  for (std::size_t i = 0; i < kBlock / 2; ++i)
    out[i + kBlock / 2] = value(bytes[i] >> 4, i + kBlock / 2);
}

/// The fifth bit of element i is bit i of `high`.
int with_fifth_bit(int nibble, std::uint32_t high, std::size_t i) {
  return nibble | static_cast<int>((high >> i & 1U) << 4);
}

void dequantise_q4_0(std::span<const std::byte> blocks, float* values) {
  for_each_block<18, kBlock>(blocks, values, [](const std::byte* block, float* out) {
    const float scale = load_half(block);
    unpack_nibbles(block + 2, out,
                   [=](int q, std::size_t) { return scale * static_cast<float>(q - 8); });
  });
}

void dequantise_q4_1(std::span<const std::byte> blocks, float* values) {
  for_each_block<20, kBlock>(blocks, values, [](const std::byte* block, float* out) {
    const float scale = load_half(block);
    const float minimum = load_half(block + 2);
    unpack_nibbles(block + 4, out,
                   [=](int q, std::size_t) { return scale * static_cast<float>(q) + minimum; });
  });
}

void dequantise_q5_0(std::span<const std::byte> blocks, float* values) {
  for_each_block<22, kBlock>(blocks, values, [](const std::byte* block, float* out) {
    const float scale = load_half(block);
    const auto high = load<std::uint32_t>(block + 2);
    unpack_nibbles(block + 6, out, [=](int q, std::size_t i) {
      return scale * static_cast<float>(with_fifth_bit(q, high, i) - 16);
    });
  });
}

void dequantise_q5_1(std::span<const std::byte> blocks, float* values) {
  for_each_block<24, kBlock>(blocks, values, [](const std::byte* block, float* out) {
    const float scale = load_half(block);
    const float minimum = load_half(block + 2);
    const auto high = load<std::uint32_t>(block + 4);
    unpack_nibbles(block + 8, out, [=](int q, std::size_t i) {
      return scale * static_cast<float>(with_fifth_bit(q, high, i)) + minimum;
    });
  });
}

void dequantise_q8_0(std::span<const std::byte> blocks, float* values) {
  for_each_block<34, kBlock>(blocks, values, [](const std::byte* block, float* out) {
    const float scale = load_half(block);
    const auto* q = reinterpret_cast<const std::int8_t*>(block + 2);
    for (std::size_t i = 0; i < kBlock; ++i) out[i] = scale * static_cast<float>(q[i]);
  });
}

void dequantise_q4_k(std::span<const std::byte> blocks, float* values) {
  for_each_block<144, kSuperBlock>(blocks, values, [](const std::byte* block, float* out) {
    const float scale = load_half(block);
    const float minimum = load_half(block + 2);
    const auto* packed = reinterpret_cast<const std::uint8_t*>(block + 4);
    const std::uint8_t* nibbles = packed + 12;
    for (std::size_t sub = 0; sub < 8; ++sub) {
      const ScaleAndMinimum six = unpack_scale(packed, sub);
      const float sub_scale = scale * static_cast<float>(six.scale);
      const float sub_minimum = minimum * static_cast<float>(six.minimum);
      const std::uint8_t* bytes = nibbles + sub / 2 * 32;
      for (std::size_t i = 0; i < 32; ++i)
        out[sub * 32 + i] =
            sub_scale * static_cast<float>(bytes[i] >> (sub % 2 * 4) & 0x0F) - sub_minimum;
    }
  });
}

void dequantise_q6_k(std::span<const std::byte> blocks, float* values) {
  for_each_block<210, kSuperBlock>(blocks, values, [](const std::byte* block, float* out) {
    const auto* low = reinterpret_cast<const std::uint8_t*>(block);
    const std::uint8_t* high = low + 128;
    const auto* scales = reinterpret_cast<const std::int8_t*>(block + 192);
    const float scale = load_half(block + 208);
    for (std::size_t sub = 0; sub < 16; ++sub) {  // 16 elements that share a scale
      const float sub_scale = scale * static_cast<float>(scales[sub]);
      const std::size_t half = sub / 8;
      const std::size_t row = sub / 2 % 4;  // of the four rows of 32 elements in a half
      for (std::size_t i = 0; i < 16; ++i) {
        const std::size_t column = sub % 2 * 16 + i;
        const int q = (low[half * 64 + row % 2 * 32 + column] >> (row / 2 * 4) & 0x0F) |
                      (high[half * 32 + column] >> (row * 2) & 0x03) << 4;
        out[sub * 16 + i] = sub_scale * static_cast<float>(q - 32);
      }
    }
  });
}

/// @source ggml's list of tensor types; the block layouts are those of its quantised formats
constexpr std::array kFormats = {
    BlockFormat{0, "F32", 1, 4, dequantise_f32},
    BlockFormat{1, "F16", 1, 2, dequantise_f16},
    BlockFormat{2, "Q4_0", 32, 18, dequantise_q4_0},
    BlockFormat{3, "Q4_1", 32, 20, dequantise_q4_1},
    BlockFormat{6, "Q5_0", 32, 22, dequantise_q5_0},
    BlockFormat{7, "Q5_1", 32, 24, dequantise_q5_1},
    BlockFormat{8, "Q8_0", 32, 34, dequantise_q8_0},
    BlockFormat{12, "Q4_K", 256, 144, dequantise_q4_k},
    BlockFormat{14, "Q6_K", 256, 210, dequantise_q6_k},
    BlockFormat{30, "BF16", 1, 2, dequantise_bf16},
};

}  // namespace

const BlockFormat* find_block_format(std::uint32_t ggml_type) {
  for (const BlockFormat& format : kFormats) {
    if (format.ggml_type == ggml_type) return &format;
  }
  return nullptr;
}

const BlockFormat* find_block_format(std::string_view name) {
  for (const BlockFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

std::string known_block_formats() {
  std::string names;
  for (const BlockFormat& format : kFormats)
    names.append(names.empty() ? "" : " ").append(format.name);
  return names;
}

float bfloat16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t magnitude = bits & 0x7FFFU;
  if (magnitude >= 0x7C00U)
    return std::bit_cast<float>(sign | 0x7F800000U | (magnitude & 0x3FFU) << 13);
  // Shifted into place the exponent is 112 too small; the exact product with 2^112 mends it, for
  // subnormals too.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign);
}

/// The carry of rounding goes into the exponent, where it belongs.
std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
  const float magnitude = std::bit_cast<float>(bits & 0x7FFFFFFFU);
  if (magnitude != magnitude) return sign | 0x7E00U;
  if (magnitude >= 65520.0F) return sign | 0x7C00U;
  std::uint32_t half;
  if (magnitude < 0x1p-14F) {
    half = static_cast<std::uint32_t>(std::nearbyint(magnitude * 0x1p24F));
  } else {
    const auto scaled = std::bit_cast<std::uint32_t>(magnitude) - (112U << 23);
    half = (scaled + 0x0FFFU + (scaled >> 13 & 1U)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | half);
}

}  // namespace speclab::engines
