#include <dlfcn.h>

#include "engines/device/nvml_monitor.h"

namespace speclab::engines {
namespace {

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
