#include "engines/device/nvml_monitor.h"

#include <dlfcn.h>

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

/// Never closed: the driver keeps threads of its own.
class Library {
 public:
  Library() : handle_(::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {}

  bool has_all() const { return handle_ != nullptr && !lacks_; }

  template <typename Function>
  Function* function(const char* name) {
    Function* found = function_or_null<Function>(name);
    lacks_ = lacks_ || found == nullptr;
    return found;
  }

  template <typename Function>
  Function* function_or_null(const char* name) const {
    return reinterpret_cast<Function*>(handle_ ? ::dlsym(handle_, name) : nullptr);
  }

 private:
  void* handle_;
  bool lacks_ = false;
};

/// The list itself is not asked for: in a container it names processes by numbers of another name
/// space.
int number_of_processes(int (*list)(NvmlDevice, unsigned*, void*), NvmlDevice device,
                        unsigned* count) {
  constexpr int kInsufficientSize = 7;
  *count = 0;
  const int code = list(device, count, nullptr);
  return code == kInsufficientSize ? 0 : code;
}

}  // namespace

std::unique_ptr<DeviceMonitor> make_nvml_monitor(NvmlFunctions nvml,
                                                 const std::string& pci_bus_id) {
  NvmlDevice device = nullptr;
  if (nvml.init() != 0 || nvml.device_by_bus_id(pci_bus_id.c_str(), &device) != 0) return nullptr;
  return std::make_unique<NvmlMonitor>(std::move(nvml), device);
}

std::optional<NvmlFunctions> open_nvml() {
  constexpr int kGpuSensor = 0, kUncorrected = 1, kSinceTheDriverWasLoaded = 0;
  Library library;
  const auto init = library.function<int()>("nvmlInit_v2");
  const auto by_bus_id =
      library.function<int(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByPciBusId_v2");
  const auto clock = library.function<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetClockInfo");
  const auto temperature =
      library.function<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetTemperature");
  const auto power = library.function<int(NvmlDevice, unsigned*)>("nvmlDeviceGetPowerUsage");
  const auto slowdowns = library.function<int(NvmlDevice, unsigned long long*)>(
      "nvmlDeviceGetCurrentClocksThrottleReasons");
  const auto processes = library.function<int(NvmlDevice, unsigned*, void*)>(
      "nvmlDeviceGetComputeRunningProcesses_v3");
  const auto ecc_errors = library.function<int(NvmlDevice, int, int, unsigned long long*)>(
      "nvmlDeviceGetTotalEccErrors");
  const auto energy = library.function_or_null<int(NvmlDevice, unsigned long long*)>(
      "nvmlDeviceGetTotalEnergyConsumption");
  if (!library.has_all()) return std::nullopt;
  return NvmlFunctions{init,
                       by_bus_id,
                       clock,
                       [=](NvmlDevice device, unsigned* celsius) {
                         return temperature(device, kGpuSensor, celsius);
                       },
                       power,
                       slowdowns,
                       [=](NvmlDevice device, unsigned* count) {
                         return number_of_processes(processes, device, count);
                       },
                       [=](NvmlDevice device, unsigned long long* count) {
                         return ecc_errors(device, kUncorrected, kSinceTheDriverWasLoaded, count);
                       },
                       energy};
}

}  // namespace speclab::engines
