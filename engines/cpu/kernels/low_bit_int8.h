#pragma once
// Low-bit weights times activations in int8. The sum of a group is exact; groups are added in
// rising order.

#include "engines/cpu/kernels/low_bit_codes.h"
#include "engines/cpu/weight_form.h"

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
#define SPECLAB_QUADS_AT_ONCE
#endif

#if defined(__AVX2__) && !defined(SPECLAB_QUADS_AT_ONCE)
/// Products of two codes without sign and two activations, added, in 16 bits; `sum` has 32 bits.
inline IntRegister multiply_pairs(UintRegister codes, IntRegister x) {
#if defined(SPECLAB_WIDE_REGISTERS)
  return reinterpret_cast<IntRegister>(
      _mm512_maddubs_epi16(reinterpret_cast<__m512i>(codes), reinterpret_cast<__m512i>(x)));
#else
  return reinterpret_cast<IntRegister>(
      _mm256_maddubs_epi16(reinterpret_cast<__m256i>(codes), reinterpret_cast<__m256i>(x)));
#endif
}
inline IntRegister add_pairs(IntRegister sum, IntRegister pairs) {
#if defined(SPECLAB_WIDE_REGISTERS)
  return sum + reinterpret_cast<IntRegister>(
                   _mm512_madd_epi16(reinterpret_cast<__m512i>(pairs), _mm512_set1_epi16(1)));
#else
  return sum + reinterpret_cast<IntRegister>(
                   _mm256_madd_epi16(reinterpret_cast<__m256i>(pairs), _mm256_set1_epi16(1)));
#endif
}
#endif

/// sum + the product of four codes without sign and four activations, in every lane.
/// @tparam kBits  of a code
template <int kBits>
inline IntRegister add_quads(IntRegister sum, UintRegister codes, IntRegister x) {
#if defined(__AVX512VNNI__) && defined(SPECLAB_WIDE_REGISTERS)
  return reinterpret_cast<IntRegister>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sum),
                                                           reinterpret_cast<__m512i>(codes),
                                                           reinterpret_cast<__m512i>(x)));
#elif defined(__AVX512VNNI__)
  return reinterpret_cast<IntRegister>(_mm256_dpbusd_epi32(reinterpret_cast<__m256i>(sum),
                                                           reinterpret_cast<__m256i>(codes),
                                                           reinterpret_cast<__m256i>(x)));
#elif defined(__AVXVNNI__)
  return reinterpret_cast<IntRegister>(_mm256_dpbusd_avx_epi32(reinterpret_cast<__m256i>(sum),
                                                               reinterpret_cast<__m256i>(codes),
                                                               reinterpret_cast<__m256i>(x)));
#elif defined(__AVX2__)
  // Sums of two products are held in 16 bits, which codes of 8 bits would exceed.
  if constexpr (kBits == 8)
    return add_quads<7>(add_quads<7>(sum, codes & 0x7F7F7F7Fu, x), codes & 0x80808080u, x);
  return add_pairs(sum, multiply_pairs(codes, x));
#else
  const IntRegister signless = reinterpret_cast<IntRegister>(codes);
  for (int byte = 0; byte < kStepDepth; ++byte)
    sum = sum + ((signless >> (8 * byte)) & 0xFF) * ((x << (24 - 8 * byte)) >> 24);
  return sum;
#endif
}

/// The sum of the products of one group in every lane of a register, step by step.
/// @tparam kBits  of a code
template <int kBits>
struct QuadSum {
  IntRegister sum;
  void begin(std::int32_t first) { sum = first - IntRegister{}; }
  void add(UintRegister codes, IntRegister x) { sum = add_quads<kBits>(sum, codes, x); }
  IntRegister total() const { return sum; }
};
#if defined(__AVX2__) && !defined(SPECLAB_QUADS_AT_ONCE)
/// Sums of codes of four bits stay in 16 bits, which hold those of a whole group.
template <>
struct QuadSum<4> {
  static_assert(kStepsPerGroup * 2 * 15 * 127 < 32768);
  typedef std::int16_t Pairs __attribute__((vector_size(kRegisterBytes)));
  Pairs pairs;
  IntRegister first;
  void begin(std::int32_t value) {
    pairs = Pairs{};
    first = value - IntRegister{};
  }
  void add(UintRegister codes, IntRegister x) {
    pairs = pairs + reinterpret_cast<Pairs>(multiply_pairs(codes, x));
  }
  IntRegister total() const { return add_pairs(first, reinterpret_cast<IntRegister>(pairs)); }
};
#endif

/// All lanes of a vector.
template <int kBits>
using QuadSums = Lanes<QuadSum<kBits>>;
template <typename Sum>
inline void begin_sum(Sum& sum, std::int32_t first) {
  sum.begin(first);
}
template <typename Half>
inline void begin_sum(Pair<Half>& sum, std::int32_t first) {
  begin_sum(sum.low, first);
  begin_sum(sum.high, first);
}
template <typename Sum>
inline void add_products(Sum& sum, UintRegister codes, IntRegister x) {
  sum.add(codes, x);
}
template <typename Half, typename Unsigned>
inline void add_products(Pair<Half>& sum, Pair<Unsigned> codes, IntRegister x) {
  add_products(sum.low, codes.low, x);
  add_products(sum.high, codes.high, x);
}
template <typename Sum>
inline IntRegister total_of(const Sum& sum) {
  return sum.total();
}
template <typename Half>
inline auto total_of(const Pair<Half>& sum) {
  return Pair<decltype(total_of(sum.low))>{total_of(sum.low), total_of(sum.high)};
}

inline IntRegister broadcast_quad(const std::int8_t* codes) {
  std::int32_t quad;
  std::memcpy(&quad, codes, sizeof quad);
  return quad - IntRegister{};
}

constexpr int kMaxGroupRows = 16;  ///< rows whose sums wait in the first-level cache
using RowSums = float[kMaxGroupRows][kBlockColumns];

/// Codes of one group of all columns of a block.
template <WeightForm kForm>
struct LoadedGroup {
  Codes codes[kStepsPerGroup][kVectorsPerBlock];
  GroupScales<kForm> scales;

  template <int kOdd>
  LoadedGroup(const char* record, int group, std::integral_constant<int, kOdd>)
      : scales(record, group) {
    const GroupCodes<kForm, kOdd> stored(record, group);
    unrolled<kStepsPerGroup>([&](auto step) __attribute__((always_inline)) {
      unrolled<kVectorsPerBlock>([&](auto v) __attribute__((always_inline)) {
        stored.template prefetch<step, v>();
        codes[step][v] = stored.template at<step, v>();
      });
    });
  }
};

/// Adds a group's share to the sums of one row.
template <WeightForm kForm>
inline void add_group(const LoadedGroup<kForm>& group, const Int8Group& x, float* sums) {
  using Scales = GroupScales<kForm>;
  Vector total[kVectorsPerBlock];
  for (int v = 0; v < kVectorsPerBlock; ++v) total[v] = load(sums + v * kLanes);
  unrolled<Scales::kHalves>([&](auto half) __attribute__((always_inline)) {
    const std::int32_t x_sum =
        Scales::kHalves == 2 ? x.half_sums[half] : x.half_sums[0] + x.half_sums[1];
    QuadSums<kBitsOf<kForm>> sum[kVectorsPerBlock];
    for (auto& s : sum) begin_sum(s, -kZeroOf<kForm> * x_sum);
    unrolled<kStepsPerGroup / Scales::kHalves>([&](auto step) __attribute__((always_inline)) {
      constexpr int kStep = half * (kStepsPerGroup / 2) + step;
      const IntRegister quad = broadcast_quad(x.codes + kStep * kStepDepth);
      unrolled<kVectorsPerBlock>([&](auto v) __attribute__((always_inline)) {
        add_products(sum[v], group.codes[kStep][v], quad);
      });
    });
    const Register scale = splat_register(x.scale);
    unrolled<kVectorsPerBlock>([&](auto v) __attribute__((always_inline)) {
      total[v] = total[v] + to_float(total_of(sum[v])) * (group.scales.scale[half][v] * scale);
    });
  });
  unrolled<kVectorsPerBlock>([&](auto v) __attribute__((always_inline)) {
    if constexpr (Scales::kHasMinimum)
      total[v] = total[v] + group.scales.minimum[v] * splat_register(x.sum);
    store(sums + v * kLanes, total[v]);
  });
}

/// Rows [first, first + count) of one block.
template <WeightForm kForm>
inline void int8_rows(const MultiplyArgs& args, const char* block, int first, int count,
                      RowSums& sums) {
  const auto* x = static_cast<const Int8Group*>(args.x) + first;
  for_each_group<kForm>(block, args.depth,
                        [&](const char* record, int place, int group, auto odd)
                            __attribute__((always_inline)) {
                              const LoadedGroup<kForm> loaded(record, place, odd);
                              const Int8Group* of_group = x + group * args.x_stride;
                              for (int r = 0; r < count; ++r)
                                add_group(loaded, of_group[r], sums[r]);
                            });
}

}  // namespace
}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
