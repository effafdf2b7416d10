#pragma once
// Standardised sampling: every way of sampling as plain sampling from a changed law.

#include <span>
#include <vector>

namespace speclab::sim {

/// softmax(logits / T). T = 0 puts all mass on the arg max, lowest index on ties.
/// @param logits       not empty, none +infinite or not a number, one finite; -infinity excludes a
/// token
/// @param temperature  T >= 0, finite
/// @throws ContractError if an argument is out of range
/// @source Leviathan et al. 2023, Section 2.2
std::vector<double> softmax_with_temperature(std::span<const double> logits, double temperature);

/// The k likeliest tokens, renormalised; lowest index first on ties. A k beyond the vocabulary
/// changes nothing.
/// @throws ContractError if p is no law (one_token.h) or top_k < 1
/// @source Leviathan et al. 2023, Section 2.2
std::vector<double> top_k_distribution(std::span<const double> p, int top_k);

/// The smallest set of tokens, in falling order of probability, whose mass reaches top_p,
/// renormalised.
/// @param top_p  in (0, 1]
/// @throws ContractError if p is no law (one_token.h) or top_p out of range
/// @source Holtzman et al. 2020, Section 3.1
std::vector<double> top_p_distribution(std::span<const double> p, double top_p);

/// β of the two laws behind one temperature.
/// @throws ContractError as softmax_with_temperature, or if the vocabularies differ
/// @source Leviathan et al. 2023, Theorem 3.5
double acceptance_probability_of_logits(std::span<const double> target_logits,
                                        std::span<const double> draft_logits, double temperature);

}  // namespace speclab::sim
