#pragma once

#include <memory>
#include <string>

#include "engines/interface/engines.h"

namespace speclab::experiments {

/// Opens the engines' shared library, which stands beside the program; the first call takes a third
/// of a second.
/// @throws ConfigError in a build without engines, or if the library cannot be opened;
/// Error(internal) if it is another one, or of another build
std::unique_ptr<engines::Engines> open_engines();
/// SHA-256 of that library's file; "none" in a build without. Read once.
std::string engines_sha256();
/// Whether this build has any: the preset sim-only has none.
bool have_engines();

/// What every command that runs a model takes.
struct CommonOptions {
  engines::ModelOptions model{.model = "smollm2-135m"};
  std::uint64_t seed = 0;
  bool json = false;
};

}  // namespace speclab::experiments
