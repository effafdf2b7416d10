#pragma once
// The passes of rng_block.h in AVX2, for whole groups of kBlockLanes; the rest is left to the
// portable form.

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/core/rng_stream.h"

namespace speclab::detail {

inline constexpr std::size_t kBlockLanes = 8;

/// False where the processor, or the build, lacks AVX2: then the others must not be called.
bool has_wide_blocks();
void fill_bits_wide(const RngStream& stream, const StreamKey& key, std::span<std::uint64_t> out);
void count_thresholds_above_wide(std::span<const std::uint64_t> bits,
                                 std::span<const std::uint64_t> thresholds,
                                 std::span<std::uint32_t> out);

}  // namespace speclab::detail
