#pragma once
// Codes and scales of low-bit weights, from records into registers.

#include <cstdint>
#include <cstring>

#include "engines/cpu/kernels/multiply.h"
#include "engines/cpu/weight_form.h"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

/// Four codes of each of 16 columns, a byte each.
using Codes = UintVector;

inline Codes load_codes(const char* from) {
  Codes codes;
  copy_lanes(from, codes);
  return codes;
}

/// `codes` moved up by `kBits`, or down where that is negative.
template <int kBits>
inline Codes moved(Codes codes) {
  if constexpr (kBits > 0)
    return codes << kBits;
  else if constexpr (kBits < 0)
    return codes >> -kBits;
  else
    return codes;
}

/// Code `kByte` of every lane.
template <int kByte>
inline IntVector code_of(Codes codes) {
  return as_int(kByte == 3 ? codes >> 24 : (codes >> (8 * kByte)) & 0xFFu);
}

template <WeightForm kForm>
constexpr RecordLayout kLayoutOf = record_layout(kForm);
template <WeightForm kForm>
constexpr int kBitsOf = kLayoutOf<kForm>.bits;
template <WeightForm kForm>
constexpr int kZeroOf = kLayoutOf<kForm>.zero;

/// Group `kOdd` of those that share their steps.
template <WeightForm kForm, int kOdd>
struct GroupCodes {
  static constexpr RecordLayout kLayout = kLayoutOf<kForm>;
  const char* steps;
  const char* high;
  const char* ahead;

  GroupCodes(const char* record, int group)
      : steps(record + kLayout.steps_at(group)),
        high(record + kLayout.high_at(group)),
        ahead(record + kAhead + group * kLinesAGroup * kVectorBytes) {}

  /// Codes of step `kStep`, vector `kVector` of columns.
  template <int kStep, int kVector>
  Codes at() const {
    const Codes bytes = stored<kStep, kVector>();
    if constexpr (kLayout.bits == 8)
      return bytes;
    else if constexpr (kLayout.bits == 4)
      return nibbles(bytes);
    else
      return nibbles(bytes) | high_bits<kStep, kVector>();
  }

  /// Byte `kByte` of the codes in every lane, as numbers.
  template <int kStep, int kVector, int kByte>
  Vector values() const {
#if defined(SPECLAB_WIDE_REGISTERS)
    if constexpr (kLayout.bits == 4)
      return look_up(moved<-(8 * kByte + 4 * kOdd)>(stored<kStep, kVector>()));
    else
#endif
      return to_float(code_of<kByte>(at<kStep, kVector>()));
  }

  /// Calls for lines of this group's share of the record, 16 KiB further, one at a time between the
  /// products. A burst at the head of a record took a sixth longer for 8 rows on Zen 4, and the
  /// first-level cache a sixth longer for one.
  template <int kStep, int kVector>
  void prefetch() const {
    constexpr int kCalls = kStepsPerGroup * kVectorsPerBlock,
                  kCall = kStep * kVectorsPerBlock + kVector;
    constexpr int kBegin = kLinesAGroup * kCall / kCalls,
                  kEnd = kLinesAGroup * (kCall + 1) / kCalls;
    for (int line = kBegin; line < kEnd; ++line)
      __builtin_prefetch(ahead + line * kVectorBytes, 0, 2);
  }

 private:
  static constexpr int kAhead = 16384;
  static constexpr int kLines = kLayout.bytes() / kVectorBytes;
  static constexpr int kLinesAGroup = (kLines + kLayout.groups - 1) / kLayout.groups;

  template <int kStep, int kVector>
  Codes stored() const {
    return load_codes(steps + kStep * kStepBytes + kVector * kVectorBytes);
  }

#if defined(SPECLAB_WIDE_REGISTERS)
  /// The numbers of the low four bits of every lane; it needs no mask.
  static Vector look_up(Codes places) {
    constexpr Vector kNumbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return reinterpret_cast<Vector>(_mm512_permutexvar_ps(reinterpret_cast<__m512i>(places),
                                                          reinterpret_cast<__m512>(kNumbers)));
  }
#endif

  static Codes nibbles(Codes bytes) { return moved<-4 * kOdd>(bytes) & 0x0F0F0F0Fu; }
  /// The bits above a nibble, in their place.
  template <int kStep, int kVector>
  Codes high_bits() const {
    constexpr int kBits = kLayout.high_bits(), kStepsAByte = 8 / kBits;
    constexpr int kPlace = kStep % kStepsAByte * kBits;
    const Codes bytes = load_codes(high + (kVector * kBits + kStep / kStepsAByte) * kVectorBytes);
    return moved<4 - kPlace>(bytes) & (((1u << kBits) - 1) * 0x10101010u);
  }
};

/// Sixteen whole numbers of one byte.
template <typename Byte>
inline Vector load_bytes(const char* from) {
  IntVector values;
  widen<Byte>(from, values);
  return to_float(values);
}

#if defined(SPECLAB_WIDE_REGISTERS)
inline Vector load_halves(const char* from) {
  return reinterpret_cast<Vector>(
      _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
}
#elif defined(__AVX2__)
inline Vector load_halves(const char* from) {
  const auto* halves = reinterpret_cast<const __m128i*>(from);
  return {reinterpret_cast<Register>(_mm256_cvtph_ps(_mm_loadu_si128(halves))),
          reinterpret_cast<Register>(_mm256_cvtph_ps(_mm_loadu_si128(halves + 1)))};
}
#else
/// Shifted into place the exponent is 112 too small; the exact product mends it, for subnormals
/// too.
inline Vector load_halves(const char* from) {
  std::uint16_t halves[kLanes];
  std::memcpy(halves, from, sizeof halves);
  std::uint32_t wide[kLanes];
  for (int i = 0; i < kLanes; ++i) wide[i] = halves[i];
  UintVector bits;
  copy_lanes(wide, bits);
  const UintVector magnitude = (bits & 0x7FFFu) << 13;
  const IntVector is_special = as_int(magnitude) > 0x0F7FFFFF;
  const Vector value =
      choose(is_special, as_float(magnitude | 0x7F800000u), as_float(magnitude) * 0x1p112f);
  return as_float(as_bits(value) | ((bits & 0x8000u) << 16));
}
#endif

/// Scales of a group, of each half of its depth where those differ, and minima.
template <WeightForm kForm>
struct GroupScales {
  static constexpr int kHalves = kForm == WeightForm::q6_k ? 2 : 1;
  static constexpr bool kHasMinimum = kForm == WeightForm::q4_1 || kForm == WeightForm::q4_k;
  Vector scale[kHalves][kVectorsPerBlock];
  Vector minimum[kVectorsPerBlock] = {};

  GroupScales(const char* record, int group) {
    unrolled<kVectorsPerBlock>([&](auto v)
                                   __attribute__((always_inline)) { read<v>(record, group); });
  }

  /// The value of code 0. Its product with a zero, a power of two, is exact, so that
  /// code * scale + offset is rounded once.
  Vector offset(int half, int v) const {
    if constexpr (kHasMinimum) return minimum[v];
    return scale[half][v] * static_cast<float>(-kZeroOf<kForm>);
  }

 private:
  template <int v>
  void read(const char* record, int group) {
    constexpr int kHalfBytes = 2 * kBlockColumns;
    const char* halves = record + v * 2 * kLanes;
    const char* bytes = record + v * kLanes;
    if constexpr (kForm == WeightForm::q4_k) {
      const char* scales = bytes + 2 * kHalfBytes + group * kBlockColumns;
      scale[0][v] = load_halves(halves) * load_bytes<std::uint8_t>(scales);
      minimum[v] = -(load_halves(halves + kHalfBytes) *
                     load_bytes<std::uint8_t>(scales + 8 * kBlockColumns));
    } else if constexpr (kForm == WeightForm::q6_k) {
      const char* scales = bytes + kHalfBytes + 2 * group * kBlockColumns;
      for (int half = 0; half < 2; ++half)
        scale[half][v] =
            load_halves(halves) * load_bytes<std::int8_t>(scales + half * kBlockColumns);
    } else if constexpr (kForm == WeightForm::q4_1) {
      scale[0][v] = load_halves(halves + 2 * group * kHalfBytes);
      minimum[v] = load_halves(halves + (2 * group + 1) * kHalfBytes);
    } else {
      scale[0][v] = load_halves(halves + group * kHalfBytes);
    }
  }
};

/// Keeps the compiler from merging the work of neighbouring groups, which would not fit into the
/// registers.
[[gnu::always_inline]] inline void keep_apart() { asm volatile("" ::: "memory"); }

/// Calls work for all groups of a block, in rising order.
/// @param work  takes a record, the group's place in it, its place in the block, and a constant 0
/// or 1, its place among groups that share steps
template <WeightForm kForm, typename Work>
inline void for_each_group(const char* block, int depth, const Work& work) {
  constexpr RecordLayout kLayout = kLayoutOf<kForm>;
  const int groups = depth / kGroupDepth;
  for (int first = 0; first < groups; first += kLayout.groups, block += kLayout.bytes())
    for (int g = 0; g < kLayout.groups && first + g < groups; g += kLayout.groups_a_step()) {
      work(block, g, first + g, std::integral_constant<int, 0>());
      keep_apart();
      if constexpr (kLayout.groups_a_step() == 2)
        if (first + g + 1 < groups) {
          work(block, g + 1, first + g + 1, std::integral_constant<int, 1>());
          keep_apart();
        }
    }
}

}  // namespace
}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
