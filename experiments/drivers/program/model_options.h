#pragma once
#include <string>

#include "engines/interface/engines.h"

namespace speclab::experiments {

/// What every command that runs a model takes.
struct CommonOptions {
  engines::ModelOptions model{.model = "smollm2-135m"};
  std::uint64_t seed = 0;
  bool json = false;
};

}  // namespace speclab::experiments
