#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/analytic/generation.h"
#include "sim/core/speculation_length_policy.h"
#include "sim/core/token_tree.h"
#include "sim/monte_carlo/acceptance_process.h"

namespace speclab::bench {

/// A tree with the chances of its ranks.
struct ReferenceTree {
  TreeShape shape;
  std::vector<double> rank_acceptance;
};

/// What the simulator says it does, the slow way: one sequence, one uniform at a time, every level
/// asked for by itself, costs read from the surface. The truth that fast rounds are compared with.
/// It knows no clairvoyant policy.
class ReferenceRounds {
 public:
  /// @param process, plan, costs  must outlive it; null costs are no times
  ReferenceRounds(sim::AcceptanceProcess& process, const sim::GenerationPlan& plan,
                  const sim::CostSurface* costs, std::uint64_t seed)
      : process_(process), plan_(plan), costs_(costs), stream_(seed) {}

  std::vector<RoundRecord> generate(SpeculationLengthPolicy& policy, std::uint32_t sequence,
                                    const std::optional<ReferenceTree>& tree = std::nullopt);

 private:
  RoundRecord chain_round(std::uint32_t sequence, std::uint32_t round, int levels,
                          double stop_below);
  RoundRecord tree_round(std::uint32_t sequence, std::uint32_t round, int levels,
                         const ReferenceTree& tree);
  void add_times(RoundRecord& record) const;

  sim::AcceptanceProcess& process_;
  const sim::GenerationPlan& plan_;
  const sim::CostSurface* costs_;
  RngStream stream_;
};

}  // namespace speclab::bench
