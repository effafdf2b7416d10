#pragma once
// Acceptance of one drafted token by each rule. p is the target's law, q the draft's, both dense
// over the same vocabulary.

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "sim/core/token.h"
#include "sim/rules/lossy_rule_options.h"

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

// Lenience l in (0, 1]: more drafts are kept, and the output law is no longer the target's. l = 1
// is exact.

/// How often a draft of q is kept with chance min(1, p / (l q)): sum min(p / l, q).
/// @param lenience  l in (0, 1]
/// @throws ContractError if a law is none (as lk_divergence) or l out of range
/// @source Leviathan et al. 2023, Appendix A.5
double lenient_acceptance_rate(std::span<const double> p, std::span<const double> q,
                               double lenience);

/// What is emitted: min(p / l, q), and for the rest the residual, norm max(0, p - q) or norm max(0,
/// p - l q). Where that has no mass nothing is left to draw: q is emitted as it is.
/// @throws ContractError as lenient_acceptance_rate
/// @source Leviathan et al. 2023, Appendix A.5, which leaves the residual open
std::vector<double> lenient_output_distribution(std::span<const double> p,
                                                std::span<const double> q, double lenience,
                                                LenientResidual form);

/// Total variation between lenient_output_distribution and p.
/// @throws ContractError as lenient_acceptance_rate
double lenient_distance(std::span<const double> p, std::span<const double> q, double lenience,
                        LenientResidual form);

/// How often that keeps a draft of q: the q-mass of the tokens it keeps.
/// @throws ContractError as lenient_acceptance_rate
double argmax_lenient_acceptance_rate(std::span<const double> p, std::span<const double> q,
                                      double lenience);

// How often the rules keep a draft that are neither above nor in candidates.h and
// block_verification.h. All sums are one or few passes over the vocabulary. All of these: @throws
// ContractError if a law is none (as lk_divergence), epsilon is not in [0, 1], or delta is negative

/// min(epsilon, delta exp(-H(p))): typical acceptance keeps the tokens that are likelier.
/// @source Medusa (Cai et al. 2024), section 2.3.1
double typical_threshold(std::span<const double> p, double epsilon, double delta);
/// q-mass of those tokens.
double typical_acceptance(std::span<const double> p, std::span<const double> q, double epsilon,
                          double delta);

/// Two drafts drawn without replacement. A rejected token has no mass in the residual, so that the
/// second test depends on the first draft x only through 1 - q(x): O(V log V). Where q has one
/// token there is no second draft, as the engines' drafters have none;
/// without_replacement_acceptance draws it uniformly from the rest.
/// @source Sequoia (Chen et al. 2024), Alg. 2
double two_without_replacement_acceptance(std::span<const double> p, std::span<const double> q);

/// A sample of p is among two drafts drawn without replacement.
double two_naive_acceptance(std::span<const double> p, std::span<const double> q);

/// Total variation between what typical acceptance emits after one draft and p; it draws from p
/// after a rejection.
double typical_distance(std::span<const double> p, std::span<const double> q, double epsilon,
                        double delta);

/// The distance of the rule of that name. @throws ContractError if it is not `lenient` or `typical`
double lossy_distance(const std::string& rule, std::span<const double> p, std::span<const double> q,
                      const LossyRuleOptions& options);

// Sums over a vocabulary that the formulas of acceptance are made of. Laws are taken as they come:
// callers have checked them.

/// Sum of term(p[i], q[i]).
template <typename Term>
double sum_over(std::span<const double> p, std::span<const double> q, Term term) {
  double total = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) total += term(p[i], q[i]);
  return total;
}

/// sum min(p, q), at most 1 whatever was rounded.
inline double overlap(std::span<const double> p, std::span<const double> q) {
  return std::min(1.0, sum_over(p, q, [](double pi, double qi) { return std::min(pi, qi); }));
}

/// norm max(0, p - scale q), or nothing where that has no mass.
std::vector<double> residual_of(std::span<const double> p, std::span<const double> q, double scale);

/// In [0, 1] whatever was rounded: 1 - (1 - kept)^drafts.
double any_of(double kept, int drafts);

}  // namespace speclab::sim
