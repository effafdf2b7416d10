#pragma once
#include "engines/interface/engines.h"

namespace speclab::engines {

/// What a manifest says about the machine; the bandwidth is left 0.
MachineInfo describe_machine(std::int32_t threads);

}  // namespace speclab::engines
