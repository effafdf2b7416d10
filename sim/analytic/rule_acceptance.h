#pragma once
// How often the rules keep a draft that are not in one_token.h, lenience.h, candidates.h and
// block_verification.h. p is the target's law, q the draft's, both dense over the same vocabulary;
// all sums are one or few passes over it. All of these: @throws ContractError if a law is none
// (one_token.h), or epsilon is not in [0, 1], or delta negative

#include <span>
#include <string>
#include <vector>

#include "sim/rules/lossy_rule_options.h"

namespace speclab::sim {

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

}  // namespace speclab::sim
