#pragma once
#include "sim/rules/rule.h"

namespace speclab {

/// Every drafted token counts as certain. Child x is accepted with p(x); a rejection masks x in p,
/// which is renormalised. The rule is lossless however the tokens were drawn, because it is so for
/// each of them alone. It serves drafters without a law.
/// @param scratch  work space, resized to at most the vocabulary; reused between calls
template <typename Scalar, ChanceSource Chance>
void verify_point_mass(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws,
                       const RoundKey& key, Chance& chance, std::vector<Scalar>& scratch,
                       Verdict& verdict) {
  verify_child_by_child(
      draft, target_laws, key, chance, scratch, verdict,
      [&](TokenTree::Node child, Residual<Scalar>& residual, const StreamKey& coin) {
        const LawEntry<Scalar> certain{draft.tree[child].token, Scalar(1)};
        if (chance.bernoulli(coin, residual[certain.token])) return true;
        residual.subtract_entries({&certain, 1}, 1.0);
        return false;
      });
}

}  // namespace speclab
