#pragma once
// A draft: tokens and, for every node with children, the law that those children were drawn from.

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/core/law.h"
#include "sim/core/token_tree.h"

namespace speclab {

/// How the children of a node were drawn from its law.
enum class DrawKind : std::uint8_t { sampled, sampled_without_replacement, arg_max };

/// The verifier uses exactly these laws. A drafter that draws from one law and reports another
/// changes the output law.
template <typename Scalar>
struct BasicDraft {
  TokenTree tree;
  /// One law per *node with children*; law_of_node maps a node to it, or -1 for a leaf.
  std::vector<BasicLaw<Scalar>> laws;
  std::vector<std::int32_t> law_of_node;
  DrawKind draw_kind = DrawKind::sampled;
  std::int32_t num_laws = 0;  ///< laws in use; `laws` may be longer so that its storage is reused

  /// Starts a draft whose root is `pending`; keeps all storage.
  void reset(Token pending, DrawKind kind);
  /// The law slot of `node`, made on first use: fill it before adding children.
  BasicLaw<Scalar>& law_for(TokenTree::Node node);
  const BasicLaw<Scalar>& law_at(TokenTree::Node node) const;
  TokenTree::Node add(TokenTree::Node parent, Token token);
};

using Draft = BasicDraft<float>;

/// Gives the target's processed law after a node; called only for nodes that are reached. The
/// reference holds until the next call.
template <typename Scalar>
using TargetLaws = std::function<const BasicLaw<Scalar>&(TokenTree::Node)>;

extern template struct BasicDraft<float>;
extern template struct BasicDraft<double>;

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
