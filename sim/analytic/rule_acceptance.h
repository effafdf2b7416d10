#pragma once
// How often each verification rule keeps a draft, from the two laws. p is the target's law, q the draft's, both dense over the
// same vocabulary; all sums are one or few passes over it. Siblings are k drafts for one place, of which any may be kept.

#include <span>
#include <string>
#include <vector>

#include "sim/core/rules/lossy_rule_options.h"
#include "sim/core/token.h"

namespace speclab::sim {

/// sum p q: a draft of q equals a sample of p.
double match_acceptance(std::span<const double> p, std::span<const double> q);

/// p(arg max q): the arg max is drafted as a certainty. Lowest index on ties.
double point_mass_acceptance(std::span<const double> p, std::span<const double> q);

/// sum min(q, p/l). @param lenience  l, in (0, 1]
/// @source Leviathan et al. 2023, A.5
double lenient_acceptance(std::span<const double> p, std::span<const double> q, double lenience);

/// min(epsilon, delta exp(-H(p))): typical acceptance keeps the tokens that are likelier.
/// @source Medusa (Cai et al. 2024), section 2.3.1
double typical_threshold(std::span<const double> p, double epsilon, double delta);
/// q-mass of those tokens.
double typical_acceptance(std::span<const double> p, std::span<const double> q, double epsilon, double delta);

/// k independent drafts, each tested against what the earlier ones left of p: 1 - prod (1 - sum min(p_i, q)).
/// @source SpecInfer (Miao et al. 2023), Alg. 2
double multi_round_acceptance(std::span<const double> p, std::span<const double> q, int siblings);

/// Two drafts drawn without replacement. A rejected token has no mass in the residual, so that the second test depends on the
/// first draft x only through 1 - q(x): O(V log V).
/// @source Sequoia (Chen et al. 2024), Alg. 2
double two_without_replacement_acceptance(std::span<const double> p, std::span<const double> q);

/// A sample of p is among two drafts drawn without replacement.
double two_naive_acceptance(std::span<const double> p, std::span<const double> q);

/// 1 - (1 - b)^k, b = sum min(q, p/rho), rho the smallest in [1, k] with 1 - (1 - b)^k <= rho b.
/// @source SpecTr (Sun et al. 2023)
double several_drafts_acceptance(std::span<const double> p, std::span<const double> q, int drafts);

/// Total variation between what a lossy rule emits after one draft and p.
double lenient_distance(std::span<const double> p, std::span<const double> q, double lenience, LenientResidual form);
/// The same of typical acceptance, which draws from p after a rejection.
double typical_distance(std::span<const double> p, std::span<const double> q, double epsilon, double delta);

/// The distance of the rule of that name. @throws ContractError if it is not `lenient` or `typical`
double lossy_distance(const std::string& rule, std::span<const double> p, std::span<const double> q, const LossyRuleOptions& options);

/// P(exactly i tokens of a chain stand), i = 0 ... n, where token i stands with stands[i] given that all before it do.
std::vector<double> accepted_length_law(std::span<const double> stands);

/// The same of block verification of the chain `tokens`, drafted from `draft_laws`, under the target's laws; with n tokens n
/// draft laws and at least n target laws. @source Sun et al. 2024, Alg. 2
std::vector<double> block_length_law(std::span<const std::vector<double>> target_laws, std::span<const std::vector<double>> draft_laws, std::span<const Token> tokens);

}  // namespace speclab::sim
