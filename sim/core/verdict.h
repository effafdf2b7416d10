#pragma once
#include <cstdint>
#include <vector>

#include "sim/core/token_tree.h"

namespace speclab {

/// Source of the round's last token.
enum class NextKind : std::uint8_t { recovered, bonus };

/// Outcome of one verification: the accepted path below the root and the token that follows it.
struct Verdict {
  std::vector<TokenTree::Node> accepted;  ///< nodes from depth 1 on, root not included
  Token next = 0;
  NextKind next_kind = NextKind::bonus;
  std::int32_t tested =
      0;  ///< drafted tokens that were tested: along a chain, accepted + 1 if one was rejected

  void clear() {
    accepted.clear();
    next = 0;
    next_kind = NextKind::bonus;
    tested = 0;
  }
};

}  // namespace speclab
