#include "engines/device/energy_meters.h"

#include <utility>

namespace speclab::engines {
namespace {

class NvmlEnergyMeter final : public EnergyMeter {
 public:
  NvmlEnergyMeter(NvmlFunctions nvml, NvmlDevice device)
      : nvml_(std::move(nvml)), device_(device), begin_(millijoules()) {}

  bool is_readable() const { return begin_.has_value(); }
  std::optional<double> joules() override {
    const auto now = millijoules();
    if (!now || !begin_ || *now < *begin_) return std::nullopt;
    return 1e-3 * static_cast<double>(*now - *begin_);
  }
  std::string source() const override { return "gpu"; }

 private:
  std::optional<unsigned long long> millijoules() const {
    unsigned long long value = 0;
    return nvml_.energy(device_, &value) == 0 ? std::optional(value) : std::nullopt;
  }

  NvmlFunctions nvml_;
  NvmlDevice device_;
  std::optional<unsigned long long> begin_;
};

class SumOfMeters final : public EnergyMeter {
 public:
  explicit SumOfMeters(std::vector<std::unique_ptr<EnergyMeter>> meters)
      : meters_(std::move(meters)) {}

  std::optional<double> joules() override {
    double sum = 0;
    for (const auto& meter : meters_) {
      const std::optional<double> joules = meter->joules();
      if (!joules) return std::nullopt;
      sum += *joules;
    }
    return sum;
  }
  std::string source() const override {
    std::string sources;
    for (const auto& meter : meters_) sources += (sources.empty() ? "" : " + ") + meter->source();
    return sources;
  }

 private:
  std::vector<std::unique_ptr<EnergyMeter>> meters_;
};

}  // namespace

std::unique_ptr<EnergyMeter> make_nvml_energy_meter(NvmlFunctions nvml,
                                                    const std::string& pci_bus_id) {
  NvmlDevice device = nullptr;
  if (!nvml.energy || nvml.init() != 0 || nvml.device_by_bus_id(pci_bus_id.c_str(), &device) != 0)
    return nullptr;
  auto meter = std::make_unique<NvmlEnergyMeter>(std::move(nvml), device);
  return meter->is_readable() ? std::move(meter) : nullptr;
}

std::unique_ptr<EnergyMeter> sum_of_meters(std::vector<std::unique_ptr<EnergyMeter>> meters) {
  std::erase(meters, nullptr);
  return meters.empty() ? nullptr : std::make_unique<SumOfMeters>(std::move(meters));
}

}  // namespace speclab::engines
