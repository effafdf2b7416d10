#pragma once
// Lenience l in (0, 1]: more drafts are kept, and the output law is no longer the target's. l = 1
// is exact.

#include <span>
#include <vector>

#include "sim/core/token.h"
#include "sim/rules/lenient_residual.h"

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

/// Total variation between lenient_output_distribution and p.
/// @throws ContractError as lenient_acceptance_rate
double lenient_distance(std::span<const double> p, std::span<const double> q, double lenience,
                        LenientResidual form);

/// How often that keeps a draft of q: the q-mass of the tokens it keeps.
/// @throws ContractError as lenient_acceptance_rate
double argmax_lenient_acceptance_rate(std::span<const double> p, std::span<const double> q,
                                      double lenience);

}  // namespace speclab::sim
