#pragma once
// The project's random numbers on the device: the same bits as sim/core/rng_stream.h under the same
// keys.

#include <cstdint>

#include "engines/cuda/packed_layout.h"

namespace speclab::engines::cuda {

// As sim/core's Purpose and round_draw, which a test compares.
inline constexpr std::uint32_t kTargetDraw = 0, kDraftDraw = 1, kAcceptDraw = 2, kRecoverDraw = 3;
inline constexpr int kNodeBits = 12;

/// Uniform in [0, 1) from the upper 53 bits of a block of Philox4x32-10. @source Salmon et al. 2011
SPECLAB_HOST_DEVICE inline double philox_uniform(std::uint64_t seed, std::uint32_t sequence,
                                                 std::uint32_t position, std::uint32_t purpose,
                                                 std::uint32_t draw) {
  std::uint32_t c0 = sequence, c1 = position, c2 = purpose, c3 = draw;
  std::uint32_t k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = 0xD2511F53ull * c0, product1 = 0xCD9E8D57ull * c2;
    c0 = static_cast<std::uint32_t>(product1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(product1);
    c2 = static_cast<std::uint32_t>(product0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(product0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  const std::uint64_t bits = (static_cast<std::uint64_t>(c0) << 32 | c1) >> 11;
  return static_cast<double>(bits) * 0x1.0p-53;
}

}  // namespace speclab::engines::cuda
