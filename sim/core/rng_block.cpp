#include "sim/core/rng_block.h"

#include <cmath>
#include <string>

#include "sim/core/rng_block_x86.h"
#include "sim/system/errors.h"

namespace speclab {
namespace {

/// Elements that whole groups of lanes cover; 0 where there are none.
std::size_t wide_part(std::size_t size) {
  static const bool wide = detail::has_wide_blocks();
  return wide ? size / detail::kBlockLanes * detail::kBlockLanes : 0;
}

}  // namespace

void fill_bits(const RngStream& stream, const StreamKey& key, std::span<std::uint64_t> out) {
  const std::size_t wide = wide_part(out.size());
  if (wide > 0) detail::fill_bits_wide(stream, key, out.first(wide));
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
  if (wide > 0) detail::count_thresholds_above_wide(bits.first(wide), thresholds, out.first(wide));
  for (std::size_t i = wide; i < bits.size(); ++i) {
    out[i] = 0;
    while (out[i] < thresholds.size() && bits[i] < thresholds[out[i]]) ++out[i];
  }
}

}  // namespace speclab
