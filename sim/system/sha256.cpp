#include "sim/system/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "sim/system/errors.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace speclab {
namespace {

/// Round constants. @source FIPS 180-4, section 4.2.2
constexpr std::array<std::uint32_t, 64> kSha256Rounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kReadBytes = 1 << 20;

std::uint32_t load_big_endian(const std::byte* from) {
  std::uint32_t word = 0;
  std::memcpy(&word, from, sizeof(word));
  return __builtin_bswap32(word);
}

void compress_block(std::array<std::uint32_t, 8>& state, const std::byte* block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = load_big_endian(block + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kSha256Rounds[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += added[i];
}

}  // namespace

void compress_portable(std::array<std::uint32_t, 8>& state, std::span<const std::byte> blocks) {
  for (; blocks.size() >= kBlockBytes; blocks = blocks.subspan(kBlockBytes))
    compress_block(state, blocks.data());
}

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

Sha256::Sha256()
    : compress_(compress_of_processor() ? compress_of_processor() : compress_portable) {}

void Sha256::update(std::span<const std::byte> bytes) {
  const std::size_t held = num_bytes_ % kBlockBytes;
  num_bytes_ += bytes.size();
  if (held > 0) {
    const auto head = bytes.first(std::min(kBlockBytes - held, bytes.size()));
    std::copy(head.begin(), head.end(), pending_.begin() + static_cast<std::ptrdiff_t>(held));
    if (held + head.size() < kBlockBytes) return;
    compress_(state_, pending_);
    bytes = bytes.subspan(head.size());
  }
  const std::size_t whole = bytes.size() / kBlockBytes * kBlockBytes;
  compress_(state_, bytes.first(whole));
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(whole), bytes.end(), pending_.begin());
}

std::string Sha256::finish() {
  const std::uint64_t num_bits = __builtin_bswap64(num_bytes_ * 8);
  const std::size_t held = num_bytes_ % kBlockBytes;
  std::vector<std::byte> padding((held < 56 ? 56 : 120) - held, std::byte{0});
  padding[0] = std::byte{0x80};
  update(padding);
  update(std::as_bytes(std::span(&num_bits, 1)));
  std::string digest;
  for (const std::uint32_t word : state_)
    for (int shift = 28; shift >= 0; shift -= 4) digest += "0123456789abcdef"[word >> shift & 0xF];
  return digest;
}

std::string sha256_text(std::string_view text) {
  Sha256 hash;
  hash.update(std::as_bytes(std::span(text)));
  return hash.finish();
}

std::string sha256_file(const std::string& path) {
  std::error_code none;
  const bool is_file =
      std::filesystem::is_regular_file(path, none);  // a pipe would be waited for without end
  std::ifstream file(is_file ? path : "", std::ios::binary);
  Sha256 sha;
  std::vector<char> buffer(kReadBytes);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || file.gcount() > 0)
    sha.update(std::as_bytes(std::span(buffer).first(static_cast<std::size_t>(file.gcount()))));
  if (!file.eof())
    throw ModelFileError(escaped(path, 200) +
                         ": file = unreadable; allowed: a file whose SHA-256 can be taken; "
                         "check the path, its permissions and the disk");
  return sha.finish();
}

}  // namespace speclab
