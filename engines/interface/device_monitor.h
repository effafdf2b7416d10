#pragma once
// Watchers of the machine: the state of an accelerator, and the energy that parts of it use.

#include <optional>
#include <string>

#include "sim/core/records.h"

namespace speclab::engines {

/// Watches the accelerator that models run on.
class DeviceMonitor {
 public:
  virtual ~DeviceMonitor() = default;
  /// Takes some tenths of a millisecond. @throws DeviceError if the device is gone
  virtual DeviceSample sample() = 0;
};

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
