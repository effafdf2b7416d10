#pragma once
#include <memory>

#include "engines/interface/engines.h"

namespace speclab::experiments {

/// Opens the engines' shared library, which stands beside the program; the first call takes a third of a second.
/// @throws ConfigError in a build without engines, saying so; Error(internal) if the library cannot be opened
std::unique_ptr<engines::Engines> open_engines();

}  // namespace speclab::experiments
