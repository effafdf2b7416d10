#include "sim/core/rng_stream.h"

#include <immintrin.h>

#include <array>
#include <cmath>
#include <string>

#include "sim/system/errors.h"

namespace speclab {
namespace {

constexpr std::uint32_t kNodeBits = 12;
constexpr std::uint32_t kRoundBits = 20;

// The wide passes take whole groups of kBlockLanes in AVX2 and leave the rest to the portable form.
// Where the processor, or the build, lacks AVX2, has_wide_blocks is false and nothing calls them.
constexpr std::size_t kBlockLanes = 8;

#if defined(__x86_64__)
#define SPECLAB_AVX2 __attribute__((target("avx2")))

constexpr std::size_t kVectors = 2;  ///< independent groups of four blocks: their latencies overlap
static_assert(kVectors * 4 == kBlockLanes);

/// Four blocks, a word of each in the lower half of a 64-bit lane; upper halves hold leftovers that
/// no product reads.
struct FourBlocks {
  __m256i word0, word1, word2, word3;
};

SPECLAB_AVX2 inline __m256i broadcast(std::uint64_t value) {
  return _mm256_set1_epi64x(static_cast<long long>(value));
}

SPECLAB_AVX2 inline void philox_round(FourBlocks& blocks, __m256i key0, __m256i key1) {
  const __m256i product0 = _mm256_mul_epu32(blocks.word0, broadcast(kPhiloxMultiplier0));
  const __m256i product1 = _mm256_mul_epu32(blocks.word2, broadcast(kPhiloxMultiplier1));
  blocks.word0 =
      _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product1, 32), blocks.word1), key0);
  blocks.word2 =
      _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product0, 32), blocks.word3), key1);
  blocks.word1 = product1;
  blocks.word3 = product0;
}

/// The upper 53 bits of words 0 and 1.
SPECLAB_AVX2 inline __m256i upper_bits(const FourBlocks& blocks) {
  const __m256i low = _mm256_and_si256(blocks.word1, broadcast(0xFFFFFFFF));
  return _mm256_srli_epi64(_mm256_or_si256(_mm256_slli_epi64(blocks.word0, 32), low), 11);
}

bool has_wide_blocks() { return __builtin_cpu_supports("avx2") != 0; }

SPECLAB_AVX2 void fill_bits_wide(const RngStream& stream, const StreamKey& key,
                                 std::span<std::uint64_t> out) {
  const __m256i steps = _mm256_set_epi64x(3, 2, 1, 0);
  __m256i keys0[kPhiloxRounds], keys1[kPhiloxRounds];
  for (std::uint32_t round = 0; round < kPhiloxRounds; ++round) {
    keys0[round] = broadcast(static_cast<std::uint32_t>(stream.seed()) + round * kPhiloxWeyl0);
    keys1[round] =
        broadcast(static_cast<std::uint32_t>(stream.seed() >> 32) + round * kPhiloxWeyl1);
  }
  for (std::size_t i = 0; i < out.size(); i += kBlockLanes) {
    std::array<FourBlocks, kVectors> blocks;
    for (std::size_t v = 0; v < kVectors; ++v)
      blocks[v] = {broadcast(key.sequence),
                   _mm256_add_epi64(broadcast(key.position + i + 4 * v), steps),
                   broadcast(static_cast<std::uint64_t>(key.purpose)), broadcast(key.draw)};
#pragma GCC unroll 10
    for (std::size_t round = 0; round < kPhiloxRounds; ++round)
#pragma GCC unroll 8
      for (FourBlocks& four : blocks) philox_round(four, keys0[round], keys1[round]);
    for (std::size_t v = 0; v < kVectors; ++v)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.data() + i + 4 * v),
                          upper_bits(blocks[v]));
  }
}

SPECLAB_AVX2 void count_thresholds_above_wide(std::span<const std::uint64_t> bits,
                                              std::span<const std::uint64_t> thresholds,
                                              std::span<std::uint32_t> out) {
  const __m256i lower_halves = _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0);
  for (std::size_t i = 0; i < bits.size(); i += 4) {
    const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bits.data() + i));
    __m256i counts = _mm256_setzero_si256();
    for (const std::uint64_t threshold : thresholds)
      counts = _mm256_sub_epi64(counts, _mm256_cmpgt_epi64(broadcast(threshold), values));
    const __m128i packed =
        _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(counts, lower_halves));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out.data() + i), packed);
  }
}

#else

bool has_wide_blocks() { return false; }
void fill_bits_wide(const RngStream&, const StreamKey&, std::span<std::uint64_t>) {}
void count_thresholds_above_wide(std::span<const std::uint64_t>, std::span<const std::uint64_t>,
                                 std::span<std::uint32_t>) {}

#endif

/// Elements that whole groups of lanes cover; 0 where there are none.
std::size_t wide_part(std::size_t size) {
  static const bool wide = has_wide_blocks();
  return wide ? size / kBlockLanes * kBlockLanes : 0;
}

}  // namespace

std::uint32_t round_draw(std::uint32_t round, std::uint32_t node) {
  SPECLAB_EXPECT(round < (1U << kRoundBits),
                 "round " + std::to_string(round) + " does not fit into a draw index");
  SPECLAB_EXPECT(node < (1U << kNodeBits),
                 "node " + std::to_string(node) + " does not fit into a draw index");
  return (round << kNodeBits) | node;
}

std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const std::uint64_t product0 = kPhiloxMultiplier0 * counter[0];
    const std::uint64_t product1 = kPhiloxMultiplier1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += kPhiloxWeyl0;
    key[1] += kPhiloxWeyl1;
  }
  return counter;
}

std::uint64_t RngStream::bits(const StreamKey& key) const {
  const auto block =
      philox4x32_10({key.sequence, key.position, static_cast<std::uint32_t>(key.purpose), key.draw},
                    {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
  return ((static_cast<std::uint64_t>(block[0]) << 32) | block[1]) >> 11;
}

void fill_bits(const RngStream& stream, const StreamKey& key, std::span<std::uint64_t> out) {
  const std::size_t wide = wide_part(out.size());
  if (wide > 0) fill_bits_wide(stream, key, out.first(wide));
  StreamKey own = key;
  for (std::size_t i = wide; i < out.size(); ++i) {
    own.position = key.position + static_cast<std::uint32_t>(i);
    out[i] = stream.bits(own);
  }
}

std::uint64_t bits_threshold(double probability) {
  SPECLAB_EXPECT(probability >= 0.0 && probability <= 1.0,
                 "probability = " + std::to_string(probability));
  return static_cast<std::uint64_t>(std::ceil(probability * 0x1.0p53));
}

void count_thresholds_above(std::span<const std::uint64_t> bits,
                            std::span<const std::uint64_t> thresholds,
                            std::span<std::uint32_t> out) {
  SPECLAB_EXPECT(out.size() == bits.size(), "out must be as long as bits");
  const std::size_t wide = wide_part(bits.size());
  if (wide > 0) count_thresholds_above_wide(bits.first(wide), thresholds, out.first(wide));
  for (std::size_t i = wide; i < bits.size(); ++i) {
    out[i] = 0;
    while (out[i] < thresholds.size() && bits[i] < thresholds[out[i]]) ++out[i];
  }
}

}  // namespace speclab
