#pragma once
// Whole generations by simulation: the policy object that the engines run, on rounds drawn from a known law.

#include "sim/analytic/generation.h"
#include "sim/core/speculation_length_policy.h"

namespace speclab::sim {

/// How much to simulate.
struct SimulationOptions {
  int generations = 200;          ///< >= 1
  std::uint64_t seed = 0;
};

/// Mean of simulated generations, and the standard error of its decoding time.
struct SimulatedGeneration {
  GenerationPrediction mean;
  double decode_ns_standard_error = 0.0;
};

/// Each round draws (depth, accepted) from `law`, the law of rounds at the greatest length, cut to what the policy asks
/// for; the policy is made afresh for every generation.
///
/// @throws ContractError as predict_generation, or if generations < 1
SimulatedGeneration simulate_generation(const SpeculationLengthPolicy& policy, const RoundLaw& law, const GenerationPlan& plan,
                                        const CostSurface& costs, const SimulationOptions& options);

}  // namespace speclab::sim
