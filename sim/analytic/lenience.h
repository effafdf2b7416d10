#pragma once
// Lenience l in (0, 1]: more drafts are kept, and the output law is no longer the target's. l = 1
// is exact.

#include <span>
#include <vector>

#include "sim/core/rules/lenient_residual.h"
#include "sim/core/token.h"

namespace speclab::sim {

/// How often a draft of q is kept with chance min(1, p / (l q)): sum min(p / l, q).
/// @param lenience  l in (0, 1]
/// @throws ContractError if a law is none (one_token.h) or l out of range
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

/// The most that any token can get: min(1, p / l), whichever the residual. There is no lower bound.
/// @throws ContractError if p is no law or l out of range
std::vector<double> lenient_output_bound(std::span<const double> p, double lenience);

/// Total variation between lenient_output_distribution and p.
/// @throws ContractError as lenient_acceptance_rate
double lenient_distance(std::span<const double> p, std::span<const double> q, double lenience,
                        LenientResidual form);

/// The form for temperature 0: x is kept if p(x) >= l max p, p at temperature 1. At l = 1 only the
/// arg max and its equals are.
/// @throws ContractError if p is no law, x not of its vocabulary, or l out of range
/// @source Leviathan et al. 2023, Appendix A.5, which prints <=
bool argmax_lenient_accepts(std::span<const double> p, Token draft_token, double lenience);

/// How often that keeps a draft of q: the q-mass of the tokens it keeps.
/// @throws ContractError as lenient_acceptance_rate
double argmax_lenient_acceptance_rate(std::span<const double> p, std::span<const double> q,
                                      double lenience);

}  // namespace speclab::sim
