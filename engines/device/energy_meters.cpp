#include "engines/device/energy_meters.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>
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

namespace fs = std::filesystem;

std::optional<std::int64_t> number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::int64_t value = 0;
  return stream >> value ? std::optional(value) : std::nullopt;
}

/// A domain's folder is "intel-rapl:0", that of a subdomain "intel-rapl:0:0". AMD's packages have
/// the same names.
bool is_domain(const std::string& name) {
  const std::string prefix = "intel-rapl:";
  return name.size() > prefix.size() && name.starts_with(prefix) &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

bool is_package(const fs::path& folder) {
  std::ifstream stream(folder / "name");
  std::string name;
  return is_domain(folder.filename().string()) && std::getline(stream, name) &&
         name.starts_with("package");
}

/// A counter of microjoules that begins again at 0 behind its largest value.
class Package {
 public:
  explicit Package(fs::path folder)
      : folder_(std::move(folder)), last_(number_in(folder_ / "energy_uj")) {}

  bool is_readable() const { return last_.has_value(); }

  /// Microjoules since the last call. They are right if the counter has begun again once at most.
  std::optional<std::int64_t> used() {
    const std::optional<std::int64_t> now = number_in(folder_ / "energy_uj");
    if (!now || !last_) return std::nullopt;
    std::int64_t used = *now - *last_;
    if (used < 0) {
      const std::optional<std::int64_t> range = number_in(folder_ / "max_energy_range_uj");
      if (!range || *range < *last_) return std::nullopt;
      used += *range;
    }
    last_ = now;
    return used;
  }

 private:
  fs::path folder_;
  std::optional<std::int64_t> last_;
};

class RaplMeter final : public EnergyMeter {
 public:
  explicit RaplMeter(std::vector<Package> packages) : packages_(std::move(packages)) {}

  std::optional<double> joules() override {
    for (Package& package : packages_) {
      const std::optional<std::int64_t> used = package.used();
      if (!used) return std::nullopt;
      microjoules_ += *used;
    }
    return 1e-6 * static_cast<double>(microjoules_);
  }
  std::string source() const override { return "cpu packages"; }

 private:
  std::vector<Package> packages_;
  std::int64_t microjoules_ = 0;
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

std::unique_ptr<EnergyMeter> make_rapl_meter(const fs::path& folder) {
  std::vector<Package> packages;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
    if (is_package(entry.path())) packages.emplace_back(entry.path());
  if (packages.empty() || !std::ranges::all_of(packages, &Package::is_readable)) return nullptr;
  return std::make_unique<RaplMeter>(std::move(packages));
}

}  // namespace speclab::engines
