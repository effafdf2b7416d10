#pragma once
// A management library that says what a test wants it to.

#include <memory>

#include "engines/device/nvml_monitor.h"

namespace speclab::testing {

/// What it says, and with which code each function ends.
struct NvmlScript {
  unsigned sm_mhz = 1980, memory_mhz = 2619, celsius = 41, milliwatts = 312'500, processes = 1;
  unsigned long long slowdowns = 0, ecc_errors = 0, millijoules = 0;
  int start_code = 0, find_code = 0, clock_code = 0, code = 0;
};

inline engines::NvmlFunctions scripted_nvml(const std::shared_ptr<NvmlScript>& script) {
  using engines::NvmlDevice;
  const auto says = [](auto* where, auto what, int code) {
    if (code == 0) *where = what;
    return code;
  };
  return {
      .init = [=] { return script->start_code; },
      .device_by_bus_id = [=](const char*, NvmlDevice*) { return script->find_code; },
      .clock =
          [=](NvmlDevice, int clock, unsigned* mhz) {
            return says(mhz,
                        clock == engines::NvmlFunctions::sm ? script->sm_mhz : script->memory_mhz,
                        script->clock_code);
          },
      .temperature =
          [=](NvmlDevice, unsigned* celsius) {
            return says(celsius, script->celsius, script->code);
          },
      .power =
          [=](NvmlDevice, unsigned* milliwatts) {
            return says(milliwatts, script->milliwatts, script->code);
          },
      .slowdowns =
          [=](NvmlDevice, unsigned long long* bits) {
            return says(bits, script->slowdowns, script->code);
          },
      .processes = [=](NvmlDevice,
                       unsigned* count) { return says(count, script->processes, script->code); },
      .ecc_errors =
          [=](NvmlDevice, unsigned long long* count) {
            return says(count, script->ecc_errors, script->code);
          },
      .energy =
          [=](NvmlDevice, unsigned long long* millijoules) {
            return says(millijoules, script->millijoules, script->code);
          }};
}

}  // namespace speclab::testing
