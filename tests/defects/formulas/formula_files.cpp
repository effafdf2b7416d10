// The table of the closed forms has the common columns; their catalogue must not forget a file of
// them.

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/defects/seeded_run.h"

namespace speclab::defects {
namespace {

namespace fs = std::filesystem;

/// Of sim/analytic: what checks arguments, follows acceptance and decides by the formulas.
const std::set<std::string> kNoFormulas{"acceptance_tracker.cpp", "arguments.cpp",
                                        "auto_policy.cpp", "depth_costs.cpp"};

TEST(Catalogue, HasADefectInEveryFileOfFormulas) {
  std::set<std::string> seeded;
  for (const Defect& defect : catalogue()) seeded.insert(fs::path(defect.file).filename());
  for (const auto& entry : fs::directory_iterator(SPECLAB_SOURCE_DIR "/sim/analytic")) {
    const std::string file = entry.path().filename();
    if (entry.path().extension() != ".cpp" || kNoFormulas.contains(file)) continue;
    EXPECT_TRUE(seeded.contains(file)) << file;
  }
}

}  // namespace

std::vector<Column> columns() {
  return {name_column(), wrong_column(), wild_column(), killed_by_column()};
}

}  // namespace speclab::defects
