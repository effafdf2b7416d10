#pragma once
#include <optional>
#include <set>

#include "experiments/drivers/predict/acceptance_input.h"
#include "experiments/drivers/predict/cost_input.h"
#include "experiments/drivers/predict/prediction.h"
#include "sim/analytic/speedup.h"

namespace speclab::experiments {

/// What operations and memory traffic are counted with.
struct MemoryOptions {
  double draft_operations_ratio = 0.0;  ///< ĉ
  std::optional<sim::ReadBytes> bytes{};
};

/// @throws ConfigError
MemoryOptions memory_options(const PredictOptions& options);

/// A chain's prediction for every length, from what is known of acceptance and cost.
class LengthModel {
 public:
  /// @param searched  the longest length that the optimum may have
  LengthModel(const AcceptanceInput& acceptance, const CostInput& costs,
              const MemoryOptions& memory, int searched)
      : acceptance_(acceptance), costs_(costs), memory_(memory), searched_(searched) {}

  PredictedLength at(int speculation_length) const;
  Optimum optimum() const;
  /// The best length by the trace's acceptance by position; nothing without a trace.
  std::optional<PredictedLength> trace_optimum() const;
  bool has_interval() const { return acceptance_.rate.interval || costs_.has_interval; }

 private:
  double speedup(double tokens_per_round, int speculation_length, const CostCorner& corner) const;
  /// Over all that the intervals of the tokens and of the costs allow.
  analysis::Estimate speedup_with_interval(const analysis::Estimate& tokens_per_round,
                                           int speculation_length) const;
  /// By the one rate α.
  analysis::Estimate tokens(int speculation_length) const;
  /// By the trace's acceptance by position, as far as it reaches.
  void add_trace(PredictedLength& at) const;
  int best_length(double acceptance_rate, const CostCorner& corner) const;
  /// Of measured costs, where each length has intervals of its own: those that may be the best.
  std::set<int> allowed_lengths(double acceptance_rate) const;

  const AcceptanceInput& acceptance_;
  const CostInput& costs_;
  MemoryOptions memory_;
  int searched_;
};

}  // namespace speclab::experiments
