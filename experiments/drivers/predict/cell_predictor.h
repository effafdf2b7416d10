#pragma once
// What one cell is expected to do, and how far the prompts may take it from there.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/stats/pair_costs.h"
#include "experiments/drivers/journal/run_entries.h"
#include "experiments/drivers/measure/pilots.h"
#include "sim/analytic/generation.h"

namespace speclab::experiments {

struct LoadedPlan;

/// Sums over prompts of a cell.
struct Totals {
  double walltime_ns = 0, rounds = 0, accepted = 0, tested = 0;
  int prompts = 0;

  void add(const Totals& other);
};

/// How far what is measured may be from the prediction, as a logarithm.
struct Spread {
  double variance = 0;
  double degrees = 0;  ///< of freedom
};

/// Predicts one cell, category by category.
class CellPredictor {
 public:
  /// All but `costs` live longer than the predictor.
  CellPredictor(const LoadedPlan& loaded, const RunLog& log, const Cell& cell,
                const std::vector<CostEntry>& costs);

  Totals totals() const;
  /// Of the logarithm of the walltime, by the spread among pilots. Nothing for plain decoding, and
  /// where a category has one pilot.
  std::optional<Spread> spread() const;

 private:
  double pilot_variance(const std::string& category, const std::vector<int>& prompt_tokens,
                        int pilots) const;
  Totals of_category(const std::string& category, const std::vector<int>& prompt_tokens,
                     std::optional<std::size_t> left_out) const;
  void add_acceptance(const std::string& category, int count, Totals& totals) const;
  sim::GenerationPlan generation_plan(const std::string& category, int prompt_tokens) const;
  std::optional<int> longest() const;
  sim::GenerationPrediction decode(const std::string& category, int prompt_tokens,
                                   std::optional<std::size_t> left_out) const;
  sim::GenerationPrediction decode(const std::string& category, const sim::RoundLaw& law,
                                   const sim::GenerationPlan& generation, int num_laws) const;

  const LoadedPlan& loaded_;
  const Plan& plan_;
  const RunLog& log_;
  const Cell& cell_;
  analysis::PairCosts costs_;
  std::map<std::string, std::vector<int>> tokens_of_category_;  ///< of the prompts
};

}  // namespace speclab::experiments
