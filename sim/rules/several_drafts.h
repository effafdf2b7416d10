#pragma once
#include <algorithm>
#include <cmath>

#include "sim/rules/rejection.h"
#include "sim/system/errors.h"

namespace speclab {
namespace detail {

/// 1 - (1 - kept)^k: the chance that any of k drafts is kept, each with probability `kept`.
inline double any_of_k(double kept, int k) {
  return -std::expm1(k * std::log1p(-std::min(kept, 1.0)));
}

/// A candidate rho, with b = sum of min(q, p/rho) and the excess of rho b over 1 - (1 - b)^k.
struct KSequential {
  double rho = 1.0, kept = 0.0, surplus = 0.0;
};

constexpr int kMostSteps = 200;  ///< each three halve the bracket

/// The smallest rho in [1, k] without deficit, approached from above. Every larger rho keeps the
/// law, so a coarse answer costs acceptance only. There is one root, because b falls and rho b
/// grows with rho. Secants find it; they aim half a tolerance beyond, so the bracket closes from
/// both sides. If two secants have not halved the bracket, it is bisected; that happens if p and q
/// are almost equal. The tolerance is 1e-9 in double and 1e-6 in float. For k = 1 the answer is 1,
/// and the other fields are not filled.
template <typename Scalar>
KSequential k_sequential(const BasicLaw<Scalar>& p, const BasicLaw<Scalar>& q, int k) {
  if (k == 1) return {};
  const auto at = [&](double rho) {
    const double kept = shared_mass(p, q, 1.0 / rho);
    return KSequential{rho, kept, rho * kept - any_of_k(kept, k)};
  };
  const double tolerance = sizeof(Scalar) == sizeof(float) ? 1e-6 : 1e-9;
  KSequential low = at(1.0), last = low, high{.rho = static_cast<double>(k)};
  if (low.surplus >= 0.0) return low;
  double guess = any_of_k(low.kept, k) / low.kept;  // between 1 and the root
  double half = 0.5 * (high.rho - low.rho);
  for (int step = 0, slow_steps = 0; step < kMostSteps && high.rho - low.rho > tolerance; ++step) {
    if (slow_steps == 2 || !(guess > low.rho && guess < high.rho))
      guess = 0.5 * (low.rho + high.rho);
    const KSequential here = at(guess);
    (here.surplus >= 0.0 ? high : low) = here;
    ++slow_steps;
    if (high.rho - low.rho <= half) {
      half = 0.5 * (high.rho - low.rho);
      slow_steps = 0;
    }
    const double root =
        here.rho - here.surplus * (here.rho - last.rho) / (here.surplus - last.surplus);
    guess = root + (here.surplus >= 0.0 ? -0.5 : 0.5) * tolerance;
    last = here;
  }
  return high.kept > 0.0 ? high : at(high.rho);
}

/// The children of all of `alive`, in drawing order.
inline void next_of(const TokenTree& tree, const std::vector<TokenTree::Node>& alive,
                    std::vector<TokenTree::Node>& offered) {
  offered.clear();
  for (TokenTree::Node node = 1; node < tree.size(); ++node)
    if (std::ranges::find(alive, tree[node].parent) != alive.end()) offered.push_back(node);
}

/// The rest if none of k drafts was kept: norm (p - min(q, p/rho) (1 - (1 - b)^k)/b).
template <typename Scalar>
void leave_over(const BasicLaw<Scalar>& law, int k, const KSequential& choice,
                Residual<Scalar>& residual) {
  if (k == 1) return residual.subtract(law, 1.0);
  residual.subtract_minimum(law, choice.rho,
                            choice.kept > 0.0 ? any_of_k(choice.kept, k) / choice.kept : 0.0);
}

}  // namespace detail

/// Several independent drafts. At each depth the k drafts that share the accepted prefix offer
/// their next tokens, drawn independently from one law q. Each in turn is kept with probability
/// min(1, p(x)/(rho q(x))). rho is the smallest number that leaves a law as the rest. The drafts
/// that begin with the kept token go on. For k = 1 this is the ratio test. Arg-max drafts are tried
/// one after the other, each as a certainty.
/// @param scratch  work space, resized to at most the vocabulary; reused between calls
/// @throws ContractError if the drafts were drawn without replacement, or a drafted token has q(x)
/// = 0
/// @source SpecTr (Sun et al. 2023), k-sequential selection
template <typename Scalar, ChanceSource Chance>
void verify_several_drafts(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws,
                           const RoundKey& key, Chance& chance, std::vector<Scalar>& scratch,
                           Verdict& verdict) {
  if (draft.draw_kind == DrawKind::arg_max)
    return verify_point_mass(draft, target_laws, key, chance, scratch, verdict);
  SPECLAB_EXPECT(draft.draw_kind == DrawKind::sampled, "several drafts are drawn independently");
  verdict.clear();
  const TokenTree& tree = draft.tree;
  std::vector<TokenTree::Node> alive{0}, offered;
  for (TokenTree::Node node = 0;;) {
    detail::next_of(tree, alive, offered);
    const BasicLaw<Scalar>& target = target_laws(node);
    const std::int32_t depth = tree[node].depth;
    if (offered.empty()) {
      verdict.next = sample(target, target_key(key, depth), chance, scratch);
      verdict.next_kind = NextKind::bonus;
      return;
    }
    const BasicLaw<Scalar>& law = draft.law_at(tree[offered.front()].parent);
    const int k = static_cast<int>(offered.size());
    const detail::KSequential choice = detail::k_sequential(target, law, k);
    const auto kept = std::ranges::find_if(offered, [&](TokenTree::Node child) {
      ++verdict.tested;
      const double odds = draft_odds(draft, child, target.vocab_size()).probability;
      return chance.bernoulli(accept_key(key, tree, child),
                              static_cast<double>(target[tree[child].token]) / (choice.rho * odds));
    });
    if (kept == offered.end()) {
      Residual<Scalar> residual(target, scratch);
      detail::leave_over(law, k, choice, residual);
      verdict.next = residual.sample(node_key(key, Purpose::recover, depth, node), chance);
      verdict.next_kind = NextKind::recovered;
      return;
    }
    node = *kept;
    verdict.accepted.push_back(node);
    std::erase_if(offered,
                  [&](TokenTree::Node child) { return tree[child].token != tree[node].token; });
    alive = offered;
  }
}

}  // namespace speclab
