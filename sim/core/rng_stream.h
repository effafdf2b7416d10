#pragma once
// Counter-based random numbers: a draw depends only on its key, never on the order of calls.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/core/token_tree.h"

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

// Keys of the random draws of one round. Drafters, verifiers and plain decoding all take them from
// here, so no two draws ever share a block of the generator.

/// The sequence and round of a verification; they key its draws.
struct RoundKey {
  std::uint32_t sequence = 0;
  std::uint32_t position =
      0;  ///< index, in the whole sequence, of the first token this round will emit
  std::uint32_t round = 0;
};

/// The target's own token at `depth` tokens after the round's first: plain sampling and the bonus
/// token.
inline StreamKey target_key(const RoundKey& key, std::int32_t depth) {
  return {key.sequence, key.position + static_cast<std::uint32_t>(depth), Purpose::target, 0};
}

/// A draw of `purpose` for `node`. `depth` belongs to the node whose law is used: drafting and
/// accepting a child use its parent's depth.
inline StreamKey node_key(const RoundKey& key, Purpose purpose, std::int32_t depth,
                          TokenTree::Node node) {
  return {key.sequence, key.position + static_cast<std::uint32_t>(depth), purpose,
          round_draw(key.round, static_cast<std::uint32_t>(node))};
}

/// Drafting `child`, whose parent has depth `parent_depth`.
inline StreamKey draft_key(const RoundKey& key, std::int32_t parent_depth, TokenTree::Node child) {
  return node_key(key, Purpose::draft, parent_depth, child);
}

// Many draws of one stream at once, and counts of the thresholds above them; a simulator needs
// millions. Every machine gives equal bits, whatever the width of its vectors.

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
