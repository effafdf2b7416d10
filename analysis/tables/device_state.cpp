#include "analysis/tables/device_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/tables/fields.h"

namespace speclab::analysis {
namespace {

constexpr double kLeastOfMedianClock = 0.9;
constexpr double kMostDropped = 0.05;

/// The told values of a field, ascending.
template <typename T>
std::vector<T> told(std::span<const DeviceRow> rows, std::optional<T> DeviceSample::* field) {
  std::vector<T> values;
  for (const DeviceRow& row : rows)
    if (const auto& value = row.sample.*field) values.push_back(*value);
  std::ranges::sort(values);
  return values;
}

template <typename T>
std::optional<T> highest(const std::vector<T>& ascending) {
  return ascending.empty() ? std::nullopt : std::optional(ascending.back());
}

/// Why the times of a generation do not count; empty where they do.
std::string disturbance(const DeviceSample& sample, std::optional<std::int64_t> median_clock) {
  if (sample.slowdowns.value_or(0) & kDisturbingSlowdowns)
    return fmt::format("the device held its clocks back (reasons {:#x})",
                       *sample.slowdowns & kDisturbingSlowdowns);
  if (!sample.sm_clock_mhz || !median_clock) return "";
  const double least = kLeastOfMedianClock * static_cast<double>(*median_clock);
  return static_cast<double>(*sample.sm_clock_mhz) < least
             ? fmt::format("its clock was at {} MHz, the run's median is {}", *sample.sm_clock_mhz,
                           *median_clock)
             : "";
}

std::string fault_of(const DeviceState& state, std::span<const DeviceRow> rows) {
  if (const auto others = highest(told(rows, &DeviceSample::other_processes));
      others.value_or(0) > 0)
    return fmt::format("{} other process{} computed on the device", *others,
                       *others == 1 ? "" : "es");
  if (const auto errors = highest(told(rows, &DeviceSample::ecc_errors)); errors.value_or(0) > 0)
    return fmt::format("the device's memory had {} uncorrected error{}", *errors,
                       *errors == 1 ? "" : "s");
  if (state.sm_clock_median_mhz == 0) return "the device's clock stood at 0 MHz";
  if (static_cast<double>(state.dropped.size()) > kMostDropped * static_cast<double>(state.n))
    return fmt::format("{} of {} generations were dropped", state.dropped.size(), state.n);
  return "";
}

}  // namespace

const Schema<DeviceRow>& device_table() {
  const auto of = part_of(&DeviceRow::sample);
  constexpr double kMostWatts = 1e5;
  static const Schema<DeviceRow> table{
      "device.csv",
      "a generation, and the accelerator behind it (only for an accelerator that tells of itself)",
      {{"row_id", &DeviceRow::row_id, Count{}, "as in `rows.csv`"},
       {"sm_clock_mhz", of(&DeviceSample::sm_clock_mhz), MaybeCount{.unit = "MHz"},
        "of the multiprocessors, of the memory"},
       {"memory_clock_mhz", of(&DeviceSample::memory_clock_mhz), MaybeCount{.unit = "MHz"}, ""},
       {"temperature_c", of(&DeviceSample::temperature_c), MaybeCount{.least = -273, .unit = "°C"},
        "of the chip"},
       {"power_w", of(&DeviceSample::power_w), Number{.high = kMostWatts, .unit = "W"},
        "of the board"},
       {"slowdowns", of(&DeviceSample::slowdowns), MaybeCount{},
        "why clocks are lower than asked for, as bits of `nvmlClocksEventReasons`; 0x4, 0x8, "
        "0x20, 0x40 and 0x80 are heat and power"},
       {"other_processes", of(&DeviceSample::other_processes), MaybeCount{},
        "processes that compute on it beside this one"},
       {"ecc_errors", of(&DeviceSample::ecc_errors), MaybeCount{},
        "uncorrected ones since the driver was loaded"}}};
  return table;
}

DeviceState device_state(std::span<const DeviceRow> rows) {
  DeviceState state{.n = rows.size()};
  const auto clocks = told(rows, &DeviceSample::sm_clock_mhz);
  if (!clocks.empty()) {
    state.sm_clock_low_mhz = clocks.front();
    state.sm_clock_median_mhz = clocks[clocks.size() / 2];
  }
  state.temperature_high_c = highest(told(rows, &DeviceSample::temperature_c));
  state.power_high_w = highest(told(rows, &DeviceSample::power_w));
  for (const DeviceRow& row : rows)
    if (std::string why = disturbance(row.sample, state.sm_clock_median_mhz); !why.empty())
      state.dropped.emplace(row.row_id, std::move(why));
  state.fault = fault_of(state, rows);
  return state;
}

std::string device_summary(const DeviceState& state) {
  const auto told = [](const auto& value, const char* unit) {
    return value ? fmt::format("{} {}", *value, unit) : std::string("not told");
  };
  if (state.n == 0) return "";
  return fmt::format(
      "SM clock {} in the median, {} at least; {} and {} at most; {} of {} generations dropped",
      told(state.sm_clock_median_mhz, "MHz"), told(state.sm_clock_low_mhz, "MHz"),
      told(state.temperature_high_c, "°C"), told(state.power_high_w, "W"), state.dropped.size(),
      state.n);
}

std::string device_note(const DeviceState& state) {
  if (!state.fault.empty()) return "INVALID as a measurement of time: " + state.fault;
  if (state.dropped.empty()) return "";
  return fmt::format(
      "{} of {} generations were dropped, since the device disturbed them (row {}: {})",
      state.dropped.size(), state.n, state.dropped.begin()->first, state.dropped.begin()->second);
}

}  // namespace speclab::analysis
