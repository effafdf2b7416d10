#pragma once
// Counter-based random numbers: what is drawn depends only on the key, never on the order of calls.

#include <array>
#include <cstdint>

namespace speclab {

/// What a draw is for; part of the counter, so that no two uses ever share a block.
enum class Purpose : std::uint32_t { target, draft, accept, recover, arrival, order, weights, train, bootstrap };

/// Names one draw. `draw` is 0 for the target's own token; drafting, accepting and recovering put round and node into it
/// (see `round_draw`), because a position can be visited again by a later round.
struct StreamKey {
  std::uint32_t sequence = 0;
  std::uint32_t position = 0;
  Purpose purpose = Purpose::target;
  std::uint32_t draw = 0;
};

/// Draw index of node `node` (< 4096) in round `round` (< 2^20) of a sequence.
/// @throws ContractError if either is out of range
std::uint32_t round_draw(std::uint32_t round, std::uint32_t node);

/// Philox4x32-10. @source Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"; Random123 known answers
std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Uniform draws under one experiment seed.
class RngStream {
 public:
  explicit RngStream(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t seed() const { return seed_; }

  /// In [0, 1), a multiple of 2^-53; 0 is possible, 1 is not.
  double uniform(const StreamKey& key) const;

 private:
  std::uint64_t seed_;
};

}  // namespace speclab
