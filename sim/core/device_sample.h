#pragma once
// What an accelerator tells of itself while something is measured on it.

#include <cstdint>
#include <optional>

namespace speclab {

/// One moment of a device; what it does not tell is missing. @source NVML, nvmlDevice*
struct DeviceSample {
  std::optional<std::int64_t> sm_clock_mhz{}, memory_clock_mhz{};
  std::optional<std::int64_t> temperature_c{};
  std::optional<double> power_w{};
  std::optional<std::int64_t> slowdowns{};        ///< bits of DeviceSlowdown and others
  std::optional<std::int64_t> other_processes{};  ///< that compute on it too
  std::optional<std::int64_t> ecc_errors{};       ///< uncorrected, since the driver was loaded
};

/// Why clocks are lower than asked for: the reasons that disturb a measurement. @source nvml.h, nvmlClocksEventReason*
enum class DeviceSlowdown : std::int64_t { power_cap = 0x4, hardware = 0x8, thermal = 0x20, hardware_thermal = 0x40, power_brake = 0x80 };

inline constexpr std::int64_t kDisturbingSlowdowns = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

}  // namespace speclab
