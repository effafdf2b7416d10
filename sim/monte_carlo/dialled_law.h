#pragma once
// A drafter that is turned towards or away from its target: mixtures of laws. p is the target's
// law, q the draft's, both dense over the same vocabulary.

#include <span>
#include <vector>

namespace speclab::sim {

/// (1 - |dial|) q + |dial| r, where r is p for a positive dial, and for a negative one the
/// certainty of the token that p gives least among those that q gives no less than p does (the
/// lowest id on ties). Acceptance never falls as the dial rises: at 1 it is 1, at 0 that of q, at
/// -1 the least p of those tokens.
///
/// @param dial  in [-1, 1]
/// @throws ContractError as lk_divergence, or if the dial is out of range
std::vector<double> dialled_law(std::span<const double> p, std::span<const double> q, double dial);

/// The dial at which a token of the dialled law is accepted with that chance, within 1e-12.
/// @throws ContractError if no dial reaches it, naming what can be reached
double dial_for_acceptance(std::span<const double> p, std::span<const double> q,
                           double acceptance_probability);

}  // namespace speclab::sim
