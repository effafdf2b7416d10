#include "sim/system/sha256.h"
#include "sim/system/sha256_constants.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace speclab {

#if defined(__x86_64__)
namespace {

#define SPECLAB_SHA __attribute__((target("sha,sse4.1,ssse3")))

/// The state as the instructions want it: words a b e f and c d g h, highest first.
struct PackedState {
  __m128i abef;
  __m128i cdgh;
};

SPECLAB_SHA PackedState pack(const std::array<std::uint32_t, 8>& state) {
  const __m128i abcd = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state.data()));
  const __m128i efgh = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state.data() + 4));
  const __m128i badc = _mm_shuffle_epi32(abcd, 0xB1);
  const __m128i hgfe = _mm_shuffle_epi32(efgh, 0x1B);
  return {_mm_alignr_epi8(badc, hgfe, 8), _mm_blend_epi16(hgfe, badc, 0xF0)};
}

SPECLAB_SHA void unpack(const PackedState& packed, std::array<std::uint32_t, 8>& state) {
  const __m128i feba = _mm_shuffle_epi32(packed.abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(packed.cdgh, 0xB1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data()), _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data() + 4), _mm_alignr_epi8(dchg, feba, 8));
}

SPECLAB_SHA __m128i load_words(const std::byte* from) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), swap);
}

/// Four rounds; `words` are message words 4 * group to 4 * group + 3.
SPECLAB_SHA inline void four_rounds(PackedState& state, __m128i words, std::size_t group) {
  const __m128i constants =
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(kSha256Rounds.data() + 4 * group));
  const __m128i input = _mm_add_epi32(words, constants);
  state.cdgh = _mm_sha256rnds2_epu32(state.cdgh, state.abef, input);
  state.abef = _mm_sha256rnds2_epu32(state.abef, state.cdgh, _mm_shuffle_epi32(input, 0x0E));
}

/// The next four message words from the sixteen before them.
SPECLAB_SHA inline __m128i next_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3) {
  const __m128i partial = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
  return _mm_sha256msg2_epu32(partial, w3);
}

SPECLAB_SHA void compress_block(PackedState& state, const std::byte* block) {
  const PackedState before = state;
  __m128i w[4];
  for (std::size_t i = 0; i < 4; ++i) {
    w[i] = load_words(block + 16 * i);
    four_rounds(state, w[i], i);
  }
  for (std::size_t group = 4; group < 16; ++group) {
    __m128i& oldest = w[group % 4];
    oldest = next_words(oldest, w[(group + 1) % 4], w[(group + 2) % 4], w[(group + 3) % 4]);
    four_rounds(state, oldest, group);
  }
  state.abef = _mm_add_epi32(state.abef, before.abef);
  state.cdgh = _mm_add_epi32(state.cdgh, before.cdgh);
}

SPECLAB_SHA void compress_x86(std::array<std::uint32_t, 8>& state,
                              std::span<const std::byte> blocks) {
  PackedState packed = pack(state);
  for (; blocks.size() >= 64; blocks = blocks.subspan(64)) compress_block(packed, blocks.data());
  unpack(packed, state);
}

/// CPUID leaf 7: SHA extensions; leaf 1: SSE4.1 and SSSE3.
bool processor_has_sha() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & bit_SHA) == 0) return false;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1) != 0 && (c & bit_SSSE3) != 0;
}

}  // namespace

/// Asked once: under a hypervisor the question costs some twenty microseconds.
Sha256::Compress compress_of_processor() {
  static const Sha256::Compress compress = processor_has_sha() ? compress_x86 : nullptr;
  return compress;
}
#else
Sha256::Compress compress_of_processor() { return nullptr; }
#endif

}  // namespace speclab
