#pragma once
#include <map>
#include <utility>
#include <vector>

#include "engines/interface/language_model.h"

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

}  // namespace speclab::experiments
