#pragma once
// How the weights of a matrix are held in memory, and how a record of low-bit weights is laid out.
//
// Low-bit weights keep the bits of their file. They stand in records: a few groups of 32 of the
// depth times 32 columns. First come the scales, then nibbles, then the bits above them.

#include <cstdint>

namespace speclab::engines::cpu {

enum class WeightForm : std::uint8_t { float32, bfloat16, q4_0, q4_1, q5_0, q8_0, q4_k, q6_k };

constexpr bool is_low_bit(WeightForm form) { return form >= WeightForm::q4_0; }

/// Columns a packed matrix is cut into; two vectors of 16.
inline constexpr int kBlockColumns = 32;
/// Weights of a column that stand in one group.
inline constexpr int kGroupDepth = 32;
/// Depths of a group that one lane of four bytes holds.
inline constexpr int kStepDepth = 4;
inline constexpr int kStepsPerGroup = kGroupDepth / kStepDepth;
/// Bytes of four codes of all columns, and of a vector of 16 of them.
inline constexpr int kStepBytes = kBlockColumns * kStepDepth;
inline constexpr int kVectorBytes = kStepBytes / 2;
/// Depth within a step of each of its bytes. So the even and the odd bytes are pairs of neighbours
/// in the 16-bit halves of a lane, and four bytes are a quad for integer products.
inline constexpr int kDepthOfByte[kStepDepth] = {0, 2, 1, 3};

/// A weight is scale * (code - zero) + minimum; formats have a zero or a minimum.
///
/// Record: scales, then one step after the other, then high bits.
///   q4_0, q5_0, q8_0  half scales[groups][32]
///   q4_1              half scales[32], minima[32], a group
///   q4_k              half d[32], dmin[32]; u8 scales[8][32], minima[8][32]
///   q6_k              half d[32]; i8 scales[16][32], two a group
/// Steps of 8 bits: [8][32 columns][4]. Of fewer: the same once for two groups, the nibbles of the
/// first below those of the second.
/// High bits of a group: byte (column, b) of vector v holds those of byte b of several steps; one
/// bit each of all eight, or two bits each of four: [2 vectors][high bits][16 columns][4].
struct RecordLayout {
  int groups;       ///< of a record
  int bits;         ///< of a code
  int zero;         ///< the code of value 0; 0 where there is a minimum
  int scale_bytes;  ///< before the steps

  constexpr int high_bits() const { return bits == 8 ? 0 : bits - 4; }
  /// Groups that share the bytes of a step.
  constexpr int groups_a_step() const { return bits == 8 ? 1 : 2; }
  constexpr int steps_at(int group) const {
    return scale_bytes + group / groups_a_step() * kStepsPerGroup * kStepBytes;
  }
  constexpr int high_at(int group) const {
    return steps_at(groups) + group * 2 * high_bits() * kVectorBytes;
  }
  constexpr int bytes() const { return high_at(groups); }
  constexpr int depth() const { return groups * kGroupDepth; }
};

/// @param form  a low-bit one
constexpr RecordLayout record_layout(WeightForm form) {
  constexpr int kHalves = 2 * kBlockColumns;  // bytes of a half a column
  switch (form) {
    case WeightForm::q4_0:
      return {2, 4, 8, 2 * kHalves};
    case WeightForm::q4_1:
      return {2, 4, 0, 4 * kHalves};
    case WeightForm::q5_0:
      return {2, 5, 16, 2 * kHalves};
    case WeightForm::q8_0:
      return {1, 8, 128, kHalves};
    case WeightForm::q4_k:
      return {8, 4, 0, 2 * kHalves + 16 * kBlockColumns};
    case WeightForm::q6_k:
      return {8, 6, 32, kHalves + 16 * kBlockColumns};
    default:
      return {};
  }
}

/// Bytes of one block of columns.
constexpr std::int64_t block_bytes(WeightForm form, std::int64_t depth) {
  if (!is_low_bit(form)) return kBlockColumns * depth * (form == WeightForm::float32 ? 4 : 2);
  const RecordLayout layout = record_layout(form);
  return (depth + layout.depth() - 1) / layout.depth() * layout.bytes();
}

// Rows of activations as the inexact products of low-bit weights read them: groups of 32, those of
// all rows side by side.

/// Activations of a group as x = scale * code.
struct alignas(16) Int8Group {
  std::int8_t codes[kGroupDepth];  ///< within each quad in the order of kDepthOfByte
  float scale;
  float sum;                  ///< of the group's activations, scale * (half_sums[0] + half_sums[1])
  std::int32_t half_sums[2];  ///< of the codes of 16 depths each
};
static_assert(sizeof(Int8Group) == 48);

/// Activations of a group in bfloat16.
struct alignas(16) BFloat16Group {
  std::uint16_t values[kGroupDepth];
  float half_sums[2];  ///< of 16 values each
};
static_assert(sizeof(BFloat16Group) == 80);

/// How activations meet low-bit weights.
enum class ProductKind : std::uint8_t {
  exact,     ///< weights rounded to bfloat16, as if they had been expanded on loading
  int8,      ///< stored codes times Int8Group
  bfloat16,  ///< stored codes times BFloat16Group
};

}  // namespace speclab::engines::cpu
