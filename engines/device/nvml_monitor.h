#pragma once
// The state of an NVIDIA device as its management library tells it. The library comes with the
// driver and is opened at run time.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engines/interface/device_monitor.h"

namespace speclab::engines {

/// Handle of a device.
using NvmlDevice = void*;

/// The functions that are called, with their codes: 0 is success. @source nvml.h
struct NvmlFunctions {
  static constexpr int kGpuIsLost = 15;
  enum Clock : int { sm = 1, memory = 2 };

  std::function<int()> init;
  std::function<int(const char* pci_bus_id, NvmlDevice*)> device_by_bus_id;
  std::function<int(NvmlDevice, int clock, unsigned* mhz)> clock;
  std::function<int(NvmlDevice, unsigned* celsius)> temperature;
  std::function<int(NvmlDevice, unsigned* milliwatts)> power;
  std::function<int(NvmlDevice, unsigned long long* bits)> slowdowns;
  std::function<int(NvmlDevice, unsigned* count)> processes;  ///< that compute on it, this one too
  std::function<int(NvmlDevice, unsigned long long* count)> ecc_errors;
  std::function<int(NvmlDevice, unsigned long long* millijoules)>
      energy{};  ///< since the driver was loaded; empty if the library does not have it
};

/// The library of the driver that is installed; nothing where there is none or it lacks a function.
std::optional<NvmlFunctions> open_nvml();

/// @param pci_bus_id  as CUDA names the device: "0000:17:00.0"
/// @return null where the library cannot be started or does not know the device
std::unique_ptr<DeviceMonitor> make_nvml_monitor(NvmlFunctions nvml, const std::string& pci_bus_id);

}  // namespace speclab::engines
