#include "analysis/tables/device_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/tables/table.h"

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

std::vector<DeviceRow> read_device(const std::string& path) {
  constexpr double kMostWatts = 1e5;
  constexpr double kMost = 9007199254740992.0;  // 2^53
  if (!std::filesystem::exists(path)) return {};
  const Table table = Table::read(path);
  table.expect_columns(kDeviceColumns);
  std::vector<DeviceRow> rows;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto told = [&](std::string_view column, double least) -> std::optional<std::int64_t> {
      const auto value = table.optional_integer(row, column);
      if (value && !(static_cast<double>(*value) >= least && static_cast<double>(*value) <= kMost))
        table.fail(row, column,
                   fmt::format("{}; allowed: integers from {} to 2^53", *value, least));
      return value;
    };
    rows.push_back({.row_id = table.count(row, "row_id"),
                    .sample = {.sm_clock_mhz = told("sm_clock_mhz", 0),
                               .memory_clock_mhz = told("memory_clock_mhz", 0),
                               .temperature_c = told("temperature_c", -273),
                               .power_w = table.optional_number_from(0, kMostWatts, row, "power_w"),
                               .slowdowns = told("slowdowns", 0),
                               .other_processes = told("other_processes", 0),
                               .ecc_errors = told("ecc_errors", 0)}});
  }
  return rows;
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
