#pragma once
// Figures that are drawn from tests/golden/runs: the same bytes if the same programs draw.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "sim/system/files.h"
#include "sim/system/sha256.h"
#include "tests/support/shell.h"

namespace speclab::testing {

inline const std::string kGoldenRuns = SPECLAB_SOURCE_DIR "/tests/golden/runs";

/// The programs that decide about the bytes, beside the rows.
inline std::string drawing_tools() {
  return run_shell("gnuplot --version; pdftocairo -v 2>&1 | head -n 1").output;
}

/// Why figures cannot be compared here; empty if they can.
inline std::string other_drawing_tools() {
  const std::string drawn_with = read_file(kGoldenRuns + "/figure_tools.txt"),
                    here = drawing_tools();
  return here == drawn_with ? ""
                            : "drawings are compared byte by byte only where the tools match: the "
                              "digests are of " +
                                  drawn_with + "here are " + here;
}

/// Digests of figures.sha256 by their path below `part`, "sequoia/sequoia.svg" of closed_forms.
inline std::map<std::string, std::string> golden_digests(const std::string& part) {
  std::istringstream lines(read_file(kGoldenRuns + "/figures.sha256"));
  std::map<std::string, std::string> digests;
  for (std::string digest, path; lines >> digest >> path;)
    if (path.starts_with(part + "/")) digests[path.substr(part.size() + 1)] = digest;
  return digests;
}

/// The SVG and PNG figures beneath `drawn` are those of `part` in figures.sha256, all of them and
/// no others, byte by byte.
inline void expect_golden_figures(const std::string& part, const std::filesystem::path& drawn) {
  std::map<std::string, std::string> digests = golden_digests(part);
  EXPECT_FALSE(digests.empty()) << part;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(drawn)) {
    const std::filesystem::path ending = entry.path().extension();
    if (ending != ".svg" && ending != ".png") continue;
    const std::string name = entry.path().lexically_relative(drawn).string();
    const auto found = digests.find(name);
    ASSERT_NE(found, digests.end()) << part << " has no figure " << name;
    EXPECT_EQ(sha256_file(entry.path().string()), found->second)
        << part << "/" << name << " is drawn otherwise now; see tests/golden/runs/README.md";
    digests.erase(found);
  }
  for (const auto& [name, digest] : digests) ADD_FAILURE() << part << "/" << name << ": not drawn";
}

}  // namespace speclab::testing
