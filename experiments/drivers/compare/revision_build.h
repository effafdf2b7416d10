#pragma once
#include <string>

namespace speclab::experiments {

/// A build whose benchmarks are compared.
struct BuildSide {
  std::string given;             ///< as the user named it
  std::string times_program{};   ///< the suite that is timed
  std::string counts_program{};  ///< the suite whose instructions are counted
};

enum class Measure { both, times, counts };

/// A folder with a built suite_bench, which is taken as it is, or a revision of the repository of
/// the current folder, which is built in a work tree under the user's cache folder, release for
/// times and x86-64-v3 for counts, through scripts/build. A work tree that is there is used again.
/// What is not measured has no program.
/// @throws ConfigError if it is neither, or its suite cannot be built
BuildSide build_side(const std::string& given, Measure measure);

}  // namespace speclab::experiments
