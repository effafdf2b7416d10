#include <cmath>
#include <cstring>
#include <limits>

#include "tests/engines/formats/slow_reader.h"

namespace speclab::testing {
namespace {

unsigned byte_at(const std::string& data, std::size_t at) {
  return static_cast<unsigned char>(data.at(at));
}

unsigned two_bytes(const std::string& data, std::size_t at) {
  return byte_at(data, at) + 256 * byte_at(data, at + 1);
}

/// IEEE 754 binary16 by its definition.
float half_at(const std::string& data, std::size_t at) {
  const unsigned bits = two_bytes(data, at), exponent = bits / 1024 % 32, fraction = bits % 1024;
  const float sign = bits >= 0x8000 ? -1.0F : 1.0F;
  if (exponent == 31)
    return fraction == 0 ? sign * std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  return sign * std::ldexp(static_cast<float>(exponent == 0 ? fraction : fraction + 1024),
                           static_cast<int>(exponent == 0 ? 1 : exponent) - 25);
}

float upper_half_at(const std::string& data, std::size_t at) {
  const std::uint32_t bits = std::uint32_t{two_bytes(data, at)} * 65536;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

float float_at(const std::string& data, std::size_t at) {
  float value;
  std::memcpy(&value, data.substr(at, sizeof value).data(), sizeof value);
  return value;
}

/// Four bits: of the first half of the elements the low ones of each byte, of the second half the
/// high ones.
unsigned nibble(const std::string& data, std::size_t at, std::size_t element, std::size_t half) {
  const unsigned byte = byte_at(data, at + element % half);
  return element % (2 * half) < half ? byte % 16 : byte / 16;
}

unsigned bit(const std::string& data, std::size_t at, std::size_t i) {
  return byte_at(data, at + i / 8) >> i % 8 & 1U;
}

float small_block(const std::string& type, const std::string& data, std::size_t at, std::size_t i) {
  const bool five = type[1] == '5', with_minimum = type[3] == '1';
  const float scale = half_at(data, at);
  const std::size_t high = at + (with_minimum ? 4 : 2), nibbles = high + (five ? 4 : 0);
  const unsigned q = nibble(data, nibbles, i, 16) + (five ? 16 * bit(data, high, i) : 0);
  if (with_minimum) {
    const float product = scale * static_cast<float>(q);
    return product + half_at(data, at + 2);
  }
  return scale * (static_cast<float>(q) - (five ? 16.0F : 8.0F));
}

/// Eight groups of 32 with six-bit scales and minima.
float q4_k(const std::string& data, std::size_t at, std::size_t i) {
  const std::size_t group = i / 32, packed = at + 4;
  unsigned scale = byte_at(data, packed + group % 4) % 64,
           minimum = byte_at(data, packed + 4 + group % 4) % 64;
  if (group >= 4) {
    scale = byte_at(data, packed + group + 4) % 16 + 16 * (byte_at(data, packed + group - 4) / 64);
    minimum = byte_at(data, packed + group + 4) / 16 + 16 * (byte_at(data, packed + group) / 64);
  }
  const float factor = half_at(data, at) * static_cast<float>(scale);
  const float subtrahend = half_at(data, at + 2) * static_cast<float>(minimum);
  const float product =
      factor * static_cast<float>(nibble(data, at + 16 + group / 2 * 32, i % 64, 32));
  return product - subtrahend;
}

/// Sixteen groups of 16 with a signed byte as scale; two halves, each of four rows of 32.
float q6_k(const std::string& data, std::size_t at, std::size_t i) {
  const std::size_t half = i / 128, row = i % 128 / 32, column = i % 32;
  const unsigned low_byte = byte_at(data, at + half * 64 + row % 2 * 32 + column);
  const unsigned low = row < 2 ? low_byte % 16 : low_byte / 16;
  const unsigned high = byte_at(data, at + 128 + half * 32 + column) >> 2 * row & 3U;
  const unsigned stored = byte_at(data, at + 192 + i / 16);
  const float scale =
      half_at(data, at + 208) * (static_cast<float>(stored) - (stored >= 128 ? 256.0F : 0.0F));
  return scale * (static_cast<float>(low + 16 * high) - 32.0F);
}

float q8_0(const std::string& data, std::size_t at, std::size_t i) {
  const unsigned stored = byte_at(data, at + 2 + i);
  return half_at(data, at) * (static_cast<float>(stored) - (stored >= 128 ? 256.0F : 0.0F));
}

}  // namespace

const std::vector<SlowType>& slow_types() {
  static const std::vector<SlowType> types = {
      {0, "F32", 1, 4},       {1, "F16", 1, 2},    {2, "Q4_0", 32, 18}, {3, "Q4_1", 32, 20},
      {6, "Q5_0", 32, 22},    {7, "Q5_1", 32, 24}, {8, "Q8_0", 32, 34}, {12, "Q4_K", 256, 144},
      {14, "Q6_K", 256, 210}, {30, "BF16", 1, 2}};
  return types;
}

float slow_value(const std::string& type, const std::string& data, std::size_t i) {
  if (type == "F32") return float_at(data, 4 * i);
  if (type == "F16") return half_at(data, 2 * i);
  if (type == "BF16") return upper_half_at(data, 2 * i);
  if (type == "Q8_0") return q8_0(data, i / 32 * 34, i % 32);
  if (type == "Q4_K") return q4_k(data, i / 256 * 144, i % 256);
  if (type == "Q6_K") return q6_k(data, i / 256 * 210, i % 256);
  const std::size_t block_bytes = type == "Q4_0"   ? 18
                                  : type == "Q4_1" ? 20
                                  : type == "Q5_0" ? 22
                                                   : 24;
  return small_block(type, data, i / 32 * block_bytes, i % 32);
}

}  // namespace speclab::testing
