#pragma once
// Whether the accelerator was in a state in which its times mean something.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/tables/schema.h"
#include "sim/core/records.h"

namespace speclab::analysis {

/// One row of device.csv: the device at the end of a generation.
struct DeviceRow {
  std::int64_t row_id = 0;
  DeviceSample sample;
};

/// device.csv
const Schema<DeviceRow>& device_table();

/// What the samples of a run say together; missing is what no sample tells.
struct DeviceState {
  std::size_t n = 0;
  std::map<std::int64_t, std::string> dropped{};  ///< generations whose times do not count, and why
  std::string fault{};                            ///< why none does; empty where there is nothing
  std::optional<std::int64_t> sm_clock_low_mhz{}, sm_clock_median_mhz{}, temperature_high_c{};
  std::optional<double> power_high_w{};
};

/// A generation is dropped whose SM clock is below 90 % of the run's median or whose clocks the
/// device held back for heat or power. Nothing counts if more than 5 % are dropped, another process
/// computed on the device, its memory had uncorrected errors, or its clock stood still.
DeviceState device_state(std::span<const DeviceRow> rows);

/// Clocks, temperature and power in a line; empty where there are no samples.
std::string device_summary(const DeviceState& state);

/// What a reader must know of it; empty where there is nothing.
std::string device_note(const DeviceState& state);

}  // namespace speclab::analysis
