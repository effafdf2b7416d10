#include "experiments/drivers/journal/program_origin.h"

#include "experiments/drivers/program/build_info.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/program/program_call.h"

namespace speclab::experiments {

Provenance program_origin(const engines::MachineInfo& machine, const std::string& device) {
  return {{"revision", kRevision},
          {"program_sha256", program_sha256()},
          {"engines_sha256", engines_sha256()},
          {"build_type", kBuildType},
          {"flags", kFlags},
          {"compiler", kCompiler},
          {"libtorch", machine.libtorch_version},
          {"blas", machine.blas},
          {"machine", machine.cpu_model},
          {"governor", machine.governor},
          {"device", device},
          {"driver", machine.driver},
          {"threads", std::to_string(machine.threads)}};
}

}  // namespace speclab::experiments
