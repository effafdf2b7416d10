#pragma once
#include <optional>
#include <string>

namespace speclab::engines {

/// Counts the energy that parts of the machine use.
class EnergyMeter {
 public:
  virtual ~EnergyMeter() = default;
  /// Joules used since the meter was made; empty if a counter cannot be read any more.
  virtual std::optional<double> joules() = 0;
  /// The parts that it covers: "cpu packages", "gpu", "cpu packages + gpu".
  virtual std::string source() const = 0;
};

}  // namespace speclab::engines
