#include "sim/core/rng_stream.h"

#include "sim/core/errors.h"

namespace speclab {
namespace {

constexpr std::uint32_t kNodeBits = 12;
constexpr std::uint32_t kRoundBits = 20;

// Multipliers and Weyl increments of Philox4x32. @source Salmon et al. 2011, section 3.3 and Random123 philox.h
constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

}  // namespace

std::uint32_t round_draw(std::uint32_t round, std::uint32_t node) {
  SPECLAB_EXPECT(round < (1U << kRoundBits), "round " + std::to_string(round) + " does not fit into a draw index");
  SPECLAB_EXPECT(node < (1U << kNodeBits), "node " + std::to_string(node) + " does not fit into a draw index");
  return (round << kNodeBits) | node;
}

std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0];
    const std::uint64_t product1 = kMultiplier1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

double RngStream::uniform(const StreamKey& key) const {
  const auto block = philox4x32_10({key.sequence, key.position, static_cast<std::uint32_t>(key.purpose), key.draw},
                                   {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
  const std::uint64_t bits = (static_cast<std::uint64_t>(block[0]) << 32) | block[1];
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace speclab
