#pragma once
#include <optional>

#include "engines/interface/device_monitor.h"
#include "sim/core/records.h"

namespace speclab::experiments {

/// The time between two readings of a meter.
class EnergySpan {
 public:
  /// Begins now. @param meter  null if there is none; outlives the span
  explicit EnergySpan(engines::EnergyMeter* meter)
      : meter_(meter), begin_(meter ? meter->joules() : std::nullopt) {}

  /// Energy until now; empty if there is no meter or it could not be read.
  std::optional<EnergyUse> used() const {
    const std::optional<double> end = begin_ ? meter_->joules() : std::nullopt;
    if (!end) return std::nullopt;
    return EnergyUse{*end - *begin_, meter_->source()};
  }

 private:
  engines::EnergyMeter* meter_;
  std::optional<double> begin_;
};

}  // namespace speclab::experiments
