#include "engines/device/nvml_monitor.h"

#include <algorithm>
#include <utility>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

class NvmlMonitor final : public DeviceMonitor {
 public:
  NvmlMonitor(NvmlFunctions nvml, NvmlDevice device) : nvml_(std::move(nvml)), device_(device) {}

  DeviceSample sample() override {
    DeviceSample sample;
    sample.sm_clock_mhz =
        told<unsigned>([&](unsigned* mhz) { return nvml_.clock(device_, NvmlFunctions::sm, mhz); });
    sample.memory_clock_mhz = told<unsigned>(
        [&](unsigned* mhz) { return nvml_.clock(device_, NvmlFunctions::memory, mhz); });
    sample.temperature_c =
        told<unsigned>([&](unsigned* celsius) { return nvml_.temperature(device_, celsius); });
    if (const auto milliwatts =
            told<unsigned>([&](unsigned* power) { return nvml_.power(device_, power); }))
      sample.power_w = 1e-3 * static_cast<double>(*milliwatts);
    sample.slowdowns = told<unsigned long long>(
        [&](unsigned long long* bits) { return nvml_.slowdowns(device_, bits); });
    if (const auto processes =
            told<unsigned>([&](unsigned* count) { return nvml_.processes(device_, count); }))
      sample.other_processes = std::max<std::int64_t>(0, *processes - 1);
    sample.ecc_errors = told<unsigned long long>(
        [&](unsigned long long* count) { return nvml_.ecc_errors(device_, count); });
    return sample;
  }

 private:
  /// What `ask` fills in; nothing where the device does not tell it.
  template <typename T, typename Ask>
  static std::optional<std::int64_t> told(const Ask& ask) {
    T value{};
    const int code = ask(&value);
    if (code == NvmlFunctions::kGpuIsLost)
      throw DeviceError("device 'cuda': it has fallen off the bus; the machine must be restarted");
    return code == 0 ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
  }

  NvmlFunctions nvml_;
  NvmlDevice device_;
};

}  // namespace

std::unique_ptr<DeviceMonitor> make_nvml_monitor(NvmlFunctions nvml,
                                                 const std::string& pci_bus_id) {
  NvmlDevice device = nullptr;
  if (nvml.init() != 0 || nvml.device_by_bus_id(pci_bus_id.c_str(), &device) != 0) return nullptr;
  return std::make_unique<NvmlMonitor>(std::move(nvml), device);
}

}  // namespace speclab::engines
