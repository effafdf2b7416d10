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
  std::optional<std::int64_t>
      slowdowns{};  ///< why clocks are lower than asked for, as bits of nvmlClocksEventReasons
  std::optional<std::int64_t> other_processes{};  ///< that compute on it too
  std::optional<std::int64_t> ecc_errors{};       ///< uncorrected, since the driver was loaded
};

/// The slowdowns that disturb a measurement: a cap on power, hardware, heat, heat by hardware, a
/// power brake. @source nvml.h
inline constexpr std::int64_t kDisturbingSlowdowns = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

}  // namespace speclab
