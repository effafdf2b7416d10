#include "sim/core/rng_stream.h"

#include "sim/system/errors.h"

namespace speclab {
namespace {

constexpr std::uint32_t kNodeBits = 12;
constexpr std::uint32_t kRoundBits = 20;

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

}  // namespace speclab
