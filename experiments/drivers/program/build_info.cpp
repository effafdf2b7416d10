#include "experiments/drivers/program/build_info.h"

#include <speclab_revision.h>

namespace speclab::experiments {

const char* const kVersion = SPECLAB_VERSION;
const char* const kRevision = SPECLAB_REVISION;
const char* const kBuildType = SPECLAB_BUILD_TYPE;
const char* const kCompiler = SPECLAB_COMPILER;
const char* const kFlags = SPECLAB_FLAGS;

}  // namespace speclab::experiments
