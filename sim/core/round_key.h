#pragma once
// Keys of the random draws of one round. Drafters, verifiers and plain decoding all take them from
// here, so no two draws ever share a block of the generator.

#include <cstdint>

#include "sim/core/rng_stream.h"
#include "sim/core/token_tree.h"

namespace speclab {

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

}  // namespace speclab
