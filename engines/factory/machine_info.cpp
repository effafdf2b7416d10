#include "engines/factory/machine_info.h"

#include <torch/headeronly/version.h>

#include <fstream>

namespace speclab::engines {
namespace {

/// The processor's name as the kernel tells it; empty where it does not.
std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "";
}

}  // namespace

MachineInfo describe_machine(std::int32_t threads) {
  MachineInfo info;
  info.cpu_model = cpu_model();
  info.threads = threads;
  info.libtorch_version = TORCH_VERSION;
  return info;
}

}  // namespace speclab::engines
