#pragma once
// Acceptance rules as scalar truth: templates over the scalar and the source of chance, run by the engines in float and
// by the tests' enumerating oracle in double.

#include <functional>
#include <vector>

#include "sim/core/chance.h"
#include "sim/core/draft.h"
#include "sim/core/round_key.h"
#include "sim/core/verdict.h"

namespace speclab {

/// Gives the target's processed law after a node; called only for nodes that are reached. The reference holds until the next call.
template <typename Scalar>
using TargetLaws = std::function<const BasicLaw<Scalar>&(TokenTree::Node)>;

/// Match of arg max: a drafted child is accepted if it equals the arg max (lowest id on ties) of the target's law.
/// Deterministic; draws nothing.
template <typename Scalar>
void verify_greedy(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws, Verdict& verdict);

/// Ratio test with residual, for chains and for trees whose siblings were drawn without replacement.
///
/// At a node with target law p and draft law q, its children are tried in drawing order: child x is accepted with
/// probability min(1, p(x)/q(x)); on rejection p becomes norm max(0, p - q) and, for draws without replacement, x leaves
/// q, which is renormalised. When no child is left the next token is drawn from the remaining p (purpose recover); at a
/// leaf it is drawn from the target's own law (purpose target, draw 0).
/// Arg-max drafts are laws of point mass, each child one of its own, for which the same rule accepts with p(x) and masks x.
/// Should rounding leave a residual without mass, the node's own target law takes its place: that happens with a
/// probability of the order of the rounding error itself.
///
/// @param scratch  work space, resized to at most the vocabulary; reused between calls
/// @throws ContractError if a drafted token has q(x) = 0 or the two vocabularies differ
/// @source Leviathan et al. 2023, Alg. 1; Chen et al. 2023, Alg. 2; Sequoia (Chen et al. 2024), Alg. 2
template <typename Scalar, ChanceSource Chance>
void verify_rejection(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws, const RoundKey& key,
                      Chance& chance, std::vector<Scalar>& scratch, Verdict& verdict);

}  // namespace speclab

#include "sim/core/acceptance_impl.h"
