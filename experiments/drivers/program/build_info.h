#pragma once
// The program's version, revision and build, compiled in.

namespace speclab::experiments {

extern const char* const kVersion;    ///< as in "0.2.0"
extern const char* const kRevision;   ///< of git, with "-dirty" if the tree had changes
extern const char* const kBuildType;  ///< of CMake
extern const char* const kCompiler;   ///< its name and version
extern const char* const kFlags;      ///< of the compiler

}  // namespace speclab::experiments
