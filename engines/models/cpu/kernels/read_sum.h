#pragma once
// The read of the bandwidth probe.

#include <cstdint>
#include <cstring>

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

std::uint64_t read_sum(const void* data, std::int64_t bytes) {
  typedef std::uint64_t Words __attribute__((vector_size(64)));
  constexpr int kStreams = 4;
  Words sum[kStreams] = {};
  const char* p = static_cast<const char*>(data);
  for (std::int64_t i = 0; i + kStreams * 64 <= bytes; i += kStreams * 64) {
    __builtin_prefetch(p + i + 4096);
    for (int s = 0; s < kStreams; ++s) {
      Words w;
      std::memcpy(&w, p + i + s * 64, sizeof w);
      sum[s] = sum[s] + w;
    }
  }
  std::uint64_t total = 0;
  for (const Words& s : sum)
    for (int i = 0; i < 8; ++i) total += s[i];
  return total;
}

}  // namespace
}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
