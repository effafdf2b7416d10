#pragma once
// Energy as counters of the machine tell it: RAPL for processor packages, NVML for a GPU.

#include <filesystem>
#include <memory>
#include <vector>

#include "engines/device/nvml_monitor.h"
#include "engines/interface/device_monitor.h"

namespace speclab::engines {

/// Folder of the kernel's power capping, which holds a folder for each RAPL domain.
inline constexpr const char* kPowercapFolder = "/sys/class/powercap";

/// Adds the packages of the processor. They count the whole machine: other programs are included.
/// Subdomains (cores, memory) are parts of a package, and the domain psys covers the packages, so
/// neither is added.
/// @param folder  see kPowercapFolder
/// @return null if there is no package, or if one of them cannot be read, for example because only
/// root may
/// @source Linux, Documentation/power/powercap/powercap.rst
std::unique_ptr<EnergyMeter> make_rapl_meter(const std::filesystem::path& folder);

/// The whole board of one GPU, other programs included. Its counter moves in steps of some tens of
/// milliseconds.
/// @param pci_bus_id  as CUDA names the device
/// @return null if the library or the device does not tell it
std::unique_ptr<EnergyMeter> make_nvml_energy_meter(NvmlFunctions nvml,
                                                    const std::string& pci_bus_id);

/// The sum of meters. @param meters  null ones are left out @return null if none is left
std::unique_ptr<EnergyMeter> sum_of_meters(std::vector<std::unique_ptr<EnergyMeter>> meters);

}  // namespace speclab::engines
