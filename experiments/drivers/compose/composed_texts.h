#pragma once
// Texts of one length, decoded by one drafter on one machine, simulated over places.

#include <memory>
#include <optional>
#include <vector>

#include "analysis/stats/pair_costs.h"
#include "experiments/drivers/compose/place_counts.h"
#include "sim/analytic/acceptance_tracker.h"
#include "sim/analytic/generation.h"
#include "sim/core/speculation_length_policy.h"
#include "sim/monte_carlo/place_process.h"

namespace speclab::experiments {

/// What texts of one law come to, in the mean.
struct MeanText {
  double walltime_ns = 0, plain_ns = 0, rounds = 0, drafting_rounds = 0;

  void add(const MeanText& other, double weight);
  double speedup() const { return plain_ns / walltime_ns; }
};

/// How long a text is, and how long its drafts.
struct TextShape {
  int prompt_tokens = 1, new_tokens = 1;    ///< >= 1
  std::optional<int> speculation_length{};  ///< constant; else the policy `auto`
  int longest_draft = 8;                    ///< of `auto`; >= 1
};

class ComposedTexts {
 public:
  /// @throws DataError if the costs have none of the setting, or none of plain decoding
  ComposedTexts(const std::vector<analysis::CostRow>& costs, const Setting& setting,
                const TextShape& shape);

  /// Simulated texts of one law.
  MeanText of_law(const sim::PlaceAcceptance& places) const;

 private:
  sim::GenerationPlan plan(sim::EndRule end_rule) const;
  std::unique_ptr<SpeculationLengthPolicy> policy_of(const sim::PlaceAcceptance& places) const;
  sim::AcceptancePrior prior_of(const sim::PlaceAcceptance& places, int longest) const;

  analysis::PairCosts drafting_, plain_;
  TextShape shape_;
};

/// Texts of all laws, a group as heavy as any other, and the speed-up without each group in turn.
struct MeanOfGroups {
  MeanText mean;
  std::vector<double> without;
};

MeanOfGroups mean_of_groups(const ComposedTexts& texts, const PlaceCounts& counts);

}  // namespace speclab::experiments
