#pragma once
// Acceptance of one drafted token. p is the target's law, q the draft's, both dense over the same vocabulary.

#include <span>
#include <vector>

namespace speclab::sim {

/// D(p, q) = (1/2) sum |p - q|: total variation, in [0, 1].
/// @throws ContractError if a law is empty, negative, does not sum to 1 within 1e-9, or the sizes differ
/// @source Leviathan et al. 2023, Definition 3.2 and Lemma 3.3
double lk_divergence(std::span<const double> p, std::span<const double> q);

/// β = sum min(p, q) = 1 - D: the chance that a token drawn from q is kept.
/// @throws ContractError as lk_divergence
/// @source Leviathan et al. 2023, Theorem 3.5
double acceptance_probability(std::span<const double> p, std::span<const double> q);

/// norm max(0, p - q): the law of the token drawn after a rejection.
/// @throws ContractError as lk_divergence, and where p = q, which leaves nothing to draw
/// @source Leviathan et al. 2023, Appendix A.1
std::vector<double> residual_distribution(std::span<const double> p, std::span<const double> q);

/// Unconditional chance that candidate number b, drawn from q without replacement, is the accepted one, given that the
/// node was reached; b in [0, candidates). Where q has no untried token left the next is drawn uniformly from the rest.
///
/// @param candidates  >= 1 and at most the vocabulary; the cost grows like vocabulary^candidates
/// @throws ContractError as lk_divergence, or if candidates is out of range
/// @source Sequoia (Chen et al. 2024), Algorithm 2
std::vector<double> without_replacement_rank_acceptance(std::span<const double> p, std::span<const double> q, int candidates);

}  // namespace speclab::sim
