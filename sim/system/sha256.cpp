#include "sim/system/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "sim/system/errors.h"
#include "sim/system/sha256_constants.h"

namespace speclab {
namespace {

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

std::string sha256_files(std::span<const std::string> paths) {
  if (paths.size() == 1) return sha256_file(paths.front());
  std::string digests;
  for (const std::string& path : paths) digests += sha256_file(path);
  return sha256_text(digests);
}

}  // namespace speclab
