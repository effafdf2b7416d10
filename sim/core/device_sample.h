#pragma once
// Readings of an accelerator while something is measured on it.

#include <cstdint>
#include <optional>

namespace speclab {

/// One moment of a device. A reading that it does not offer is missing. @source NVML, nvmlDevice*
struct DeviceSample {
  std::optional<std::int64_t> sm_clock_mhz{}, memory_clock_mhz{};
  std::optional<std::int64_t> temperature_c{};
  std::optional<double> power_w{};
  std::optional<std::int64_t>
      slowdowns{};  ///< reasons for lower clocks than asked for, as bits of nvmlClocksEventReasons
  std::optional<std::int64_t> other_processes{};  ///< number of other processes that compute on it
  std::optional<std::int64_t> ecc_errors{};       ///< uncorrected, since the driver was loaded
};

/// The slowdowns that disturb a measurement: power cap, hardware limit, thermal limit (by software
/// or hardware), power brake. @source nvml.h
inline constexpr std::int64_t kDisturbingSlowdowns = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

}  // namespace speclab
