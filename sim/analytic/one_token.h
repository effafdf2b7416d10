#pragma once
// Acceptance of one drafted token. p is the target's law, q the draft's, both dense over the same
// vocabulary.

#include <span>
#include <vector>

#include "sim/core/token.h"

namespace speclab::sim {

/// D(p, q) = (1/2) sum |p - q|: total variation, in [0, 1].
/// @throws ContractError if a law is empty, negative, does not sum to 1 within 1e-9, or the sizes
/// differ
/// @source Leviathan et al. 2023, Definition 3.2 and Lemma 3.3
double lk_divergence(std::span<const double> p, std::span<const double> q);

/// β = sum min(p, q) = 1 - D: the chance that a token drawn from q is kept.
/// @throws ContractError as lk_divergence
/// @source Leviathan et al. 2023, Theorem 3.5
double acceptance_probability(std::span<const double> p, std::span<const double> q);

/// sum p q: a draft of q equals a sample of p.
/// @throws ContractError as lk_divergence
double sample_match_acceptance_rate(std::span<const double> p, std::span<const double> q);

/// p(x): x is drafted as a certainty.
/// @throws ContractError if p is no law or x not of its vocabulary
/// @source Gante 2023, "Assisted Generation" (Hugging Face), sampling mode
double point_mass_acceptance_rate(std::span<const double> p, Token draft_token);
/// The same of the arg max of q, lowest index on ties.
/// @throws ContractError as lk_divergence
double point_mass_acceptance_rate(std::span<const double> p, std::span<const double> q);

/// Rejection sampling in one step: q's draft is kept with chance p / (M q), M = max p/q, and
/// replaced by a sample of p. Keeps 1/M = min of q/p over p > 0.
/// @throws ContractError as lk_divergence
/// @source Leviathan et al. 2023, Appendix A.2
double noniterative_acceptance_rate(std::span<const double> p, std::span<const double> q);

}  // namespace speclab::sim
