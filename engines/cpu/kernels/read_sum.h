#pragma once
// The read of the bandwidth probe.

#include <cstdint>
#include <cstring>

#include "engines/cpu/kernels/lanes.h"

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

std::uint64_t read_sum(const void* data, std::int64_t bytes) {
  typedef std::uint64_t Words __attribute__((vector_size(kRegisterBytes)));
  constexpr int kStreams = 4 * 64 / kRegisterBytes;
  Words sum[kStreams] = {};
  const char* p = static_cast<const char*>(data);
  for (std::int64_t i = 0; i + 256 <= bytes; i += 256) {
    __builtin_prefetch(p + i + 4096);
    for (int s = 0; s < kStreams; ++s) {
      Words w;
      std::memcpy(&w, p + i + s * kRegisterBytes, sizeof w);
      sum[s] = sum[s] + w;
    }
  }
  std::uint64_t total = 0;
  for (const Words& s : sum)
    for (int i = 0; i < kRegisterBytes / 8; ++i) total += s[i];
  return total;
}

}  // namespace
}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
