#pragma once
#include <algorithm>

#include "sim/rules/rejection.h"
#include "sim/system/errors.h"

namespace speclab {
namespace detail {

/// The end of block verification: the last kept node of the chain, and P there.
struct KeptBlock {
  TokenTree::Node node = 0;
  double joint = 1.0;
};

/// The longest prefix whose last position was kept by its coin. In a chain, node i is position i.
template <typename Scalar, ChanceSource Chance>
KeptBlock longest_kept(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws,
                       const RoundKey& key, Chance& chance) {
  const TokenTree& tree = draft.tree;
  const TokenTree::Node last = tree.size() - 1;
  KeptBlock kept;
  double joint = 1.0;
  for (TokenTree::Node node = 0; node < last; ++node) {
    const BasicLaw<Scalar>& target = target_laws(node);
    if (node > 0) {
      const double left = std::max(0.0, joint - shared_mass(target, draft.law_at(node), joint));
      if (chance.bernoulli(accept_key(key, tree, node),
                           left > 0.0 ? left / (left + (1.0 - joint)) : 0.0))
        kept = {node, joint};
    }
    const double drawn = draft_odds(draft, node + 1, target.vocab_size()).probability;
    joint = std::min(1.0, joint * static_cast<double>(target[tree[node + 1].token]) / drawn);
  }
  if (last > 0 && chance.bernoulli(accept_key(key, tree, last), joint)) kept = {last, joint};
  return kept;
}

}  // namespace detail

/// Block verification of a chain x_1 .. x_n. Let P_0 = 1 and P_i = min(1, P_{i-1} p(x_i)/q(x_i)).
/// Let s be the sum of max(0, P_i p - q) over the laws after x_i. Position i < n is kept with
/// probability s/(s + 1 - P_i), and position n with P_n; every position draws a coin of its own.
/// The longest kept prefix is accepted. The next token comes from norm max(0, P_i p - q), after the
/// whole chain from p. In the mean it accepts at least as many tokens as the ratio test.
/// @param scratch  work space, resized to at most the vocabulary; reused between calls
/// @throws ContractError if the draft is no chain, or for the reasons of verify_rejection
/// @source Sun et al. 2024, Block Verification Accelerates Speculative Decoding, Alg. 2
template <typename Scalar, ChanceSource Chance>
void verify_block(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws,
                  const RoundKey& key, Chance& chance, std::vector<Scalar>& scratch,
                  Verdict& verdict) {
  SPECLAB_EXPECT(draft.tree.is_chain(), "block verification takes chains");
  verdict.clear();
  const TokenTree::Node last = draft.tree.size() - 1;
  const detail::KeptBlock kept = detail::longest_kept(draft, target_laws, key, chance);
  for (TokenTree::Node node = 1; node <= kept.node; ++node) verdict.accepted.push_back(node);
  verdict.tested = std::min(kept.node + 1, last);
  const BasicLaw<Scalar>& target = target_laws(kept.node);
  if (kept.node == last) {
    verdict.next = sample(target, target_key(key, last), chance, scratch);
    verdict.next_kind = NextKind::bonus;
    return;
  }
  Residual<Scalar> residual(target, scratch);
  residual.subtract(draft.law_at(kept.node), 1.0 / kept.joint);
  verdict.next = residual.sample(node_key(key, Purpose::recover, kept.node, kept.node), chance);
  verdict.next_kind = NextKind::recovered;
}

}  // namespace speclab
