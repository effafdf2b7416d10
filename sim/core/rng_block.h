#pragma once
// Many draws of one stream at once, and counts of the thresholds above them; a simulator needs
// millions. Every machine gives equal bits, whatever the width of its vectors.

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/core/rng_stream.h"

namespace speclab {

/// out[i] = stream.bits(key with i added to its position).
void fill_bits(const RngStream& stream, const StreamKey& key, std::span<std::uint64_t> out);

/// The threshold below which `bits` lie exactly where the uniform lies below `probability`.
/// @param probability  in [0, 1]. @throws ContractError if it is not
std::uint64_t bits_threshold(double probability);

/// out[i] = how many of the leading `thresholds`, which never rise, lie above bits[i].
/// @param out  has the size of `bits`
void count_thresholds_above(std::span<const std::uint64_t> bits,
                            std::span<const std::uint64_t> thresholds,
                            std::span<std::uint32_t> out);

}  // namespace speclab
