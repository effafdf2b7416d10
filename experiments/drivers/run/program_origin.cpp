#include "experiments/drivers/run/program_origin.h"

#include <speclab_revision.h>

#include "experiments/drivers/engines_loader.h"
#include "experiments/drivers/program_call.h"

namespace speclab::experiments {

Provenance program_origin(const engines::MachineInfo& machine, const std::string& device) {
  return {{"revision", SPECLAB_REVISION},
          {"program_sha256", program_sha256()},
          {"engines_sha256", engines_sha256()},
          {"build_type", SPECLAB_BUILD_TYPE},
          {"flags", SPECLAB_FLAGS},
          {"compiler", SPECLAB_COMPILER},
          {"libtorch", machine.libtorch_version},
          {"blas", machine.blas},
          {"machine", machine.cpu_model},
          {"governor", machine.governor},
          {"device", device},
          {"driver", machine.driver},
          {"threads", std::to_string(machine.threads)}};
}

}  // namespace speclab::experiments
