#pragma once
// The program's version, revision and build, compiled in, and its exit codes.

#include <span>

#include "sim/system/errors.h"

namespace speclab::experiments {

extern const char* const kVersion;    ///< as in "0.2.0"
extern const char* const kRevision;   ///< of git, with "-dirty" if the tree had changes
extern const char* const kBuildType;  ///< of CMake
extern const char* const kCompiler;   ///< its name and version
extern const char* const kFlags;      ///< of the compiler

/// An exit code in words, as results/TABLES.md explains them at length.
struct ExitCodeWords {
  ExitCode code;
  const char* name;     ///< the `status` of `run --json`
  const char* meaning;  ///< of the man page
};

/// Every code, in ascending order.
std::span<const ExitCodeWords> exit_codes();
/// The name of a code.
const char* to_string(ExitCode code);

}  // namespace speclab::experiments
