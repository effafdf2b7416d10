#pragma once
#include "sim/core/device_sample.h"

namespace speclab::engines {

/// Watches the accelerator that models run on.
class DeviceMonitor {
 public:
  virtual ~DeviceMonitor() = default;
  /// Takes some tenths of a millisecond. @throws DeviceError if the device is gone
  virtual DeviceSample sample() = 0;
};

}  // namespace speclab::engines
