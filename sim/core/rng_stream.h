#pragma once
// Counter-based random numbers: a draw depends only on its key, never on the order of calls.

#include <array>
#include <cstdint>

namespace speclab {

/// The use of a draw. It is part of the counter, so no two uses ever share a block.
enum class Purpose : std::uint32_t {
  target,
  draft,
  accept,
  recover,
  arrival,
  order,
  weights,
  train,
  bootstrap
};

/// Names one draw. `draw` is 0 for the target's own token. Drafting, accepting and recovering put
/// round and node into it (see `round_draw`), because a later round can visit a position again.
struct StreamKey {
  std::uint32_t sequence = 0;
  std::uint32_t position = 0;
  Purpose purpose = Purpose::target;
  std::uint32_t draw = 0;
};

/// Draw index of node `node` (< 4096) in round `round` (< 2^20) of a sequence.
/// @throws ContractError if either is out of range
std::uint32_t round_draw(std::uint32_t round, std::uint32_t node);

// Multipliers and Weyl increments of Philox4x32. @source Salmon et al. 2011, section 3.3 and
// Random123 philox.h
inline constexpr std::uint64_t kPhiloxMultiplier0 = 0xD2511F53;
inline constexpr std::uint64_t kPhiloxMultiplier1 = 0xCD9E8D57;
inline constexpr std::uint32_t kPhiloxWeyl0 = 0x9E3779B9;
inline constexpr std::uint32_t kPhiloxWeyl1 = 0xBB67AE85;
inline constexpr int kPhiloxRounds = 10;

/// Philox4x32-10. @source Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3";
/// Random123 known answers
std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key);

/// Uniform draws under one experiment seed.
class RngStream {
 public:
  explicit RngStream(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t seed() const { return seed_; }

  /// The upper 53 bits of the key's block.
  std::uint64_t bits(const StreamKey& key) const;
  /// In [0, 1), `bits` as a multiple of 2^-53; 0 is possible, 1 is not.
  double uniform(const StreamKey& key) const { return static_cast<double>(bits(key)) * 0x1.0p-53; }

 private:
  std::uint64_t seed_;
};

}  // namespace speclab
