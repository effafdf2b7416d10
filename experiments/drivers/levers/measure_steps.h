#pragma once
// Forwards of one model under every lever, which take turns with each other and with reads of
// memory.

#include <map>
#include <utility>
#include <vector>

#include "analysis/tables/levers.h"
#include "engines/interface/language_model.h"
#include "experiments/drivers/levers/loaded_levers.h"

namespace speclab::experiments {

/// Times of bare forwards over their number of rows.
class StepCosts {
 public:
  /// @param context  tokens in the cache
  /// @param rows     numbers of rows to time, ascending
  StepCosts(engines::LanguageModel& model, const std::vector<Token>& tokens, int context,
            const std::vector<int>& rows);
  /// @param times  nanoseconds by number of rows, at least one
  explicit StepCosts(std::map<double, double> times) : times_(std::move(times)) {}

  /// Nanoseconds, on straight lines between the timed numbers of rows, level beyond their ends.
  double at(double rows) const;

 private:
  std::map<double, double> times_;
};

/// Ratios within one repetition, whose median is taken: memory changes its pace from second to
/// second.
/// @param tokens  of the context, which is as long
std::vector<analysis::StepRow> measure_steps(engines::Engines& engines, LoadedLevers& levers,
                                             const std::vector<Token>& tokens);

}  // namespace speclab::experiments
