#pragma once
#include <algorithm>
#include <cmath>

#include "sim/core/errors.h"
#include "sim/core/rules/rejection.h"
#include "sim/core/rules/shared_mass.h"

namespace speclab {
namespace detail {

/// 1 - (1 - kept)^k: whether any of k drafts is kept, each with probability `kept`.
inline double any_of_k(double kept, int k) { return -std::expm1(k * std::log1p(-std::min(kept, 1.0))); }

constexpr int kMostSteps = 60;

/// The smallest rho in [1, k] with 1 - (1 - b)^k <= rho b, b = sum of min(q, p/rho), from above: every rho from there on leaves
/// the law as it is, so that a coarse answer costs acceptance only. b falls and rho b grows with rho: one root, which regula
/// falsi with Illinois' step brackets. To 1e-9 in double, to 1e-6 in float.
template <typename Scalar>
double k_sequential_rho(const BasicLaw<Scalar>& p, const BasicLaw<Scalar>& q, int k) {
  if (k == 1) return 1.0;
  const auto surplus = [&](double rho) {
    const double kept = shared_mass(p, q, 1.0 / rho);
    return rho * kept - any_of_k(kept, k);
  };
  double low = 1.0, high = k, below = surplus(low), above = surplus(high);
  if (below >= 0.0) return low;
  const double tolerance = sizeof(Scalar) == sizeof(float) ? 1e-6 : 1e-9;
  int side = 0;  // which end moved last
  for (int step = 0; step < kMostSteps && high - low > tolerance && above > 0.0; ++step) {
    const double middle = std::clamp(low + (high - low) * below / (below - above), low, high);
    const double at_middle = surplus(middle);
    if (at_middle >= 0.0) {
      high = middle, above = at_middle;
      if (side == 1) below *= 0.5;
      side = 1;
    } else {
      low = middle, below = at_middle;
      if (side == -1) above *= 0.5;
      side = -1;
    }
  }
  return high;
}

/// The children of all of `alive`, in drawing order.
inline void next_of(const TokenTree& tree, const std::vector<TokenTree::Node>& alive, std::vector<TokenTree::Node>& offered) {
  offered.clear();
  for (TokenTree::Node node = 1; node < tree.size(); ++node)
    if (std::ranges::find(alive, tree[node].parent) != alive.end()) offered.push_back(node);
}

/// What is left over when none of k drafts was kept: norm (p - min(q, p/rho) (1 - (1 - b)^k)/b).
template <typename Scalar>
void leave_over(const BasicLaw<Scalar>& target, const BasicLaw<Scalar>& law, int k, double rho, Residual<Scalar>& residual) {
  if (k == 1) return residual.subtract(law, 1.0);
  const double kept = shared_mass(target, law, 1.0 / rho);
  residual.subtract_minimum(law, rho, kept > 0.0 ? any_of_k(kept, k) / kept : 0.0);
}

}  // namespace detail

/// Several independent drafts: at each depth the k drafts that share the accepted prefix offer their next tokens, drawn
/// independently from one law q; each in turn is kept with probability min(1, p(x)/(rho q(x))), with the smallest rho for
/// which what is left over is a law. The drafts that begin with the kept token go on. For k = 1 the ratio test. Arg-max
/// drafts are tried one after the other, each as a certainty.
/// @param scratch  work space, resized to at most the vocabulary; reused between calls
/// @throws ContractError if the drafts were drawn without replacement, or a drafted token has q(x) = 0
/// @source SpecTr (Sun et al. 2023), k-sequential selection
template <typename Scalar, ChanceSource Chance>
void verify_several_drafts(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws, const RoundKey& key, Chance& chance,
                           std::vector<Scalar>& scratch, Verdict& verdict) {
  if (draft.draw_kind == DrawKind::arg_max) return verify_point_mass(draft, target_laws, key, chance, scratch, verdict);
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
    const double rho = detail::k_sequential_rho(target, law, k);
    const auto kept = std::ranges::find_if(offered, [&](TokenTree::Node child) {
      ++verdict.tested;
      const double odds = draft_odds(draft, child, target.vocab_size()).probability;
      return chance.bernoulli(accept_key(key, tree, child), static_cast<double>(target[tree[child].token]) / (rho * odds));
    });
    if (kept == offered.end()) {
      Residual<Scalar> residual(target, scratch);
      detail::leave_over(target, law, k, rho, residual);
      verdict.next = residual.sample(node_key(key, Purpose::recover, depth, node), chance);
      verdict.next_kind = NextKind::recovered;
      return;
    }
    node = *kept;
    verdict.accepted.push_back(node);
    std::erase_if(offered, [&](TokenTree::Node child) { return tree[child].token != tree[node].token; });
    alive = offered;
  }
}

}  // namespace speclab
