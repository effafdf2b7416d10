#pragma once
// Low-bit weights times activations in bfloat16, pair by pair of the depth.

#include "engines/cpu/kernels/low_bit_codes.h"
#include "engines/cpu/kernels/low_bit_int8.h"
#include "engines/cpu/weight_form.h"

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

constexpr int kHalfSteps = kStepsPerGroup / 2, kHalfDepth = kGroupDepth / 2;
constexpr int kPairsPerHalf = kHalfDepth / 2;

/// Rounds both vectors to bfloat16.
inline WeightPair rounded_pair(Vector even, Vector odd) {
#ifdef __AVX512BF16__
  const __m512i side_by_side = reinterpret_cast<__m512i>(
      _mm512_cvtne2ps_pbh(reinterpret_cast<__m512>(odd), reinterpret_cast<__m512>(even)));
  typedef std::uint16_t Places __attribute__((vector_size(64)));
  constexpr Places kInterleaved = {0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
                                   8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  return reinterpret_cast<WeightPair>(
      _mm512_permutexvar_epi16(reinterpret_cast<__m512i>(kInterleaved), side_by_side));
#else
  return {as_float(round_to_bfloat16(even) << 16), as_float(round_to_bfloat16(odd) << 16)};
#endif
}

inline void store_pair(WeightPair pair, BFloat16* out) {
#ifdef __AVX512BF16__
  std::memcpy(out, &pair, sizeof pair);
#else
  copy_lanes((as_bits(pair.even) >> 16) | as_bits(pair.odd), out);
#endif
}

#ifdef __AVX512BF16__
/// Thirty-two codes from `first` on, less the zero, in bfloat16.
typedef std::uint16_t CodeTable __attribute__((vector_size(64)));
template <int kFirst>
constexpr CodeTable code_table(int zero) {
  CodeTable table = {};
  for (int i = 0; i < 32; ++i)
    table[i] = static_cast<std::uint16_t>(
        __builtin_bit_cast(std::uint32_t, static_cast<float>(kFirst + i - zero)) >> 16);
  return table;
}
#endif

/// Pair `kPair` of the codes of a step, less the zero; bfloat16 holds them exactly.
template <int kBits, int kZero, int kPair>
inline WeightPair code_pair(Codes codes) {
#ifdef __AVX512BF16__
  // A look-up reads the low bits of the first byte of every 16.
  const __m512i places = reinterpret_cast<__m512i>(moved<-8 * kPair>(codes));
  const __m512i low = reinterpret_cast<__m512i>(code_table<0>(kZero));
  if constexpr (kBits < 6)
    return reinterpret_cast<WeightPair>(_mm512_permutexvar_epi16(places, low));
  if constexpr (kBits == 6)
    return reinterpret_cast<WeightPair>(
        _mm512_permutex2var_epi16(low, places, reinterpret_cast<__m512i>(code_table<32>(kZero))));
#endif
  return rounded_pair(to_float(code_of<kPair>(codes) - kZero),
                      to_float(code_of<kPair + 2>(codes) - kZero));
}

/// Half of a group as pairs: [8 pairs of depths][vectors].
using HalfPairs = WeightPair[kPairsPerHalf][kVectorsPerBlock];

/// @param make  takes the group's codes and constants: step, vector, pair of the step
template <WeightForm kForm, int kOdd, int kHalf, typename MakePair>
inline void load_half(const char* record, int place, HalfPairs& pairs, const MakePair& make) {
  const GroupCodes<kForm, kOdd> codes(record, place);
  unrolled<kHalfSteps>([&](auto step) __attribute__((always_inline)) {
    constexpr std::integral_constant<int, kHalf * kHalfSteps + step> kStep;
    unrolled<kVectorsPerBlock>([&](auto v) __attribute__((always_inline)) {
      codes.template prefetch<kStep, v>();
      unrolled<2>([&](auto pair) __attribute__((always_inline)) {
        pairs[2 * step + pair][v] = make(codes, kStep, v, pair);
      });
    });
  });
}

inline void add_half(const HalfPairs& pairs, const BFloat16* x, Vector (&sum)[kVectorsPerBlock]) {
  unrolled<kPairsPerHalf>([&](auto pair) __attribute__((always_inline)) {
    const auto broadcast = Step<BFloat16>::broadcast(x + 2 * pair);
    unrolled<kVectorsPerBlock>([&](auto v) __attribute__((always_inline)) {
      sum[v] = Step<BFloat16>::add(sum[v], pairs[pair][v], broadcast);
    });
  });
}

/// Calls work(pairs, depth) for every half of a group: weights as if they had been expanded on
/// loading.
template <WeightForm kForm, typename Work>
inline void for_each_exact_half(const char* block, int depth, const Work& work) {
  using Scales = GroupScales<kForm>;
  for_each_group<kForm>(
      block, depth,
      [&](const char* record, int place, int group, auto odd) __attribute__((always_inline)) {
        const Scales scales(record, place);
        unrolled<2>([&](auto half) __attribute__((always_inline)) {
          HalfPairs pairs;
          load_half<kForm, odd, half>(
              record, place, pairs,
              [&](const auto& codes, auto step, auto v, auto pair) __attribute__((always_inline)) {
                const Vector scale = scales.scale[half % Scales::kHalves][v];
                const Vector offset = scales.offset(half % Scales::kHalves, v);
                return rounded_pair(offset + codes.template values<step, v, pair>() * scale,
                                    offset + codes.template values<step, v, pair + 2>() * scale);
              });
          work(pairs, group * kGroupDepth + half * kHalfDepth);
        });
      });
}

/// The sums that expanded weights would give, bit for bit.
template <WeightForm kForm>
inline void exact_rows(const MultiplyArgs& args, const char* block, int first, int count,
                       RowSums& sums) {
  const auto* x = static_cast<const BFloat16*>(args.x) + first * args.x_stride;
  for_each_exact_half<kForm>(block, args.depth,
                             [&](const HalfPairs& pairs, int depth) __attribute__((always_inline)) {
                               for (int r = 0; r < count; ++r) {
                                 Vector sum[kVectorsPerBlock];
                                 for (int v = 0; v < kVectorsPerBlock; ++v)
                                   sum[v] = load(sums[r] + v * kLanes);
                                 add_half(pairs, x + r * args.x_stride + depth, sum);
                                 for (int v = 0; v < kVectorsPerBlock; ++v)
                                   store(sums[r] + v * kLanes, sum[v]);
                               }
                             });
}

/// A block of columns in bfloat16, as PackedMatrix lays it out.
template <WeightForm kForm>
inline void expand_as(const char* block, int depth, BFloat16* out) {
  for_each_exact_half<kForm>(
      block, depth, [&](const HalfPairs& pairs, int first) __attribute__((always_inline)) {
        for (int pair = 0; pair < kPairsPerHalf; ++pair)
          for (int v = 0; v < kVectorsPerBlock; ++v)
            store_pair(pairs[pair][v], out + (first + 2 * pair) * kBlockColumns + 2 * v * kLanes);
      });
}

/// Codes, which bfloat16 holds exactly, times activations; scales enter once a half.
template <WeightForm kForm>
inline void bfloat16_rows(const MultiplyArgs& args, const char* block, int first, int count,
                          RowSums& sums) {
  using Scales = GroupScales<kForm>;
  const auto* x = static_cast<const BFloat16Group*>(args.x) + first;
  for_each_group<kForm>(
      block, args.depth,
      [&](const char* record, int place, int group, auto odd) __attribute__((always_inline)) {
        const Scales scales(record, place);
        const BFloat16Group* of_group = x + group * args.x_stride;
        unrolled<2>([&](auto half) __attribute__((always_inline)) {
          HalfPairs pairs;
          load_half<kForm, odd, half>(record, place, pairs,
                                      [&](const auto& codes, auto step, auto v, auto pair)
                                          __attribute__((always_inline)) {
                                            return code_pair<kBitsOf<kForm>, kZeroOf<kForm>, pair>(
                                                codes.template at<step, v>());
                                          });
          for (int r = 0; r < count; ++r) {
            Vector sum[kVectorsPerBlock] = {};
            add_half(pairs, of_group[r].values + half * kHalfDepth, sum);
            for (int v = 0; v < kVectorsPerBlock; ++v) {
              float* out = sums[r] + v * kLanes;
              Vector total = load(out) + sum[v] * scales.scale[half % Scales::kHalves][v];
              if constexpr (Scales::kHasMinimum)
                total = total + scales.minimum[v] * splat_register(of_group[r].half_sums[half]);
              store(out, total);
            }
          }
        });
      });
}

}  // namespace
}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
