#include "engines/factory/machine_info.h"

#include <ATen/Version.h>
#include <torch/headeronly/version.h>

#include <fstream>

namespace speclab::engines {
namespace {

constexpr const char* kNotTold = "not told by the system";

/// The processor's name as the kernel tells it.
std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return kNotTold;
}

/// How the first processor's frequency is chosen; virtual machines mostly do not tell.
std::string governor() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  std::string name;
  return file >> name ? name : kNotTold;
}

/// The first word with a point in it of "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15
/// ...".
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  return "none";
}

/// The first line of each library's description.
std::string blas_versions() {
  std::string names;
  for (const std::string& description : {at::get_mkl_version(), at::get_mkldnn_version()})
    names += (names.empty() ? "" : "; ") + description.substr(0, description.find('\n'));
  return names;
}

}  // namespace

MachineInfo describe_machine(std::int32_t threads) {
  MachineInfo info;
  info.cpu_model = cpu_model();
  info.threads = threads;
  info.libtorch_version = TORCH_VERSION;
  info.blas = blas_versions();
  info.governor = governor();
  info.driver = driver_version();
  return info;
}

}  // namespace speclab::engines
