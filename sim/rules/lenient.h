#pragma once
#include "sim/rules/lossy_rule_options.h"
#include "sim/rules/rejection.h"
#include "sim/system/errors.h"

namespace speclab {

/// The ratio test with lenience: a child x is accepted with probability min(1, p(x)/(l q(x))). It
/// is lossy for l < 1. No token becomes likelier than p(x)/l; some may become rarer without bound.
/// @param lenience  l, in (0, 1]; 1 is the ratio test
/// @source Leviathan et al. 2023, A.5
template <typename Scalar, ChanceSource Chance>
void verify_lenient(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws,
                    const RoundKey& key, Chance& chance, std::vector<Scalar>& scratch,
                    Verdict& verdict, double lenience, LenientResidual form) {
  SPECLAB_EXPECT(lenience > 0.0 && lenience <= 1.0, "lenience lies in (0, 1]");
  const double rest = form == LenientResidual::full ? 1.0 : lenience;
  verify_child_by_child(
      draft, target_laws, key, chance, scratch, verdict,
      [&](TokenTree::Node child, Residual<Scalar>& residual, const StreamKey& coin) {
        const LawEntry<Scalar> certain{draft.tree[child].token, Scalar(1)};
        const bool is_certain = draft.draw_kind == DrawKind::arg_max;
        const DraftOdds odds =
            is_certain ? DraftOdds{1.0, 1.0} : draft_odds(draft, child, residual.vocab_size());
        if (chance.bernoulli(coin, residual[certain.token] / (lenience * odds.probability)))
          return true;
        if (is_certain)
          residual.subtract_entries({&certain, 1}, rest);
        else
          residual.subtract(draft.law_at(draft.tree[child].parent), rest * odds.scale);
        return false;
      });
}

}  // namespace speclab
