#pragma once
#include <string>

#include "engines/interface/engines.h"
#include "experiments/drivers/journal/run_entries.h"

namespace speclab::experiments {

/// This program and the machine that it is on: revision, program_sha256, engines_sha256,
/// build_type, flags, compiler, libtorch, blas, machine, governor, device, driver, threads. @param
/// device  that models are on
Provenance program_origin(const engines::MachineInfo& machine, const std::string& device);

}  // namespace speclab::experiments
