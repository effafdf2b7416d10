#include "tests/defects/decoder_distance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "tests/defects/seeded_run.h"

namespace speclab::defects {

const Distance& distance_of(const std::string& defect) {
  static std::map<std::string, Distance> known;
  if (!known.contains(defect)) {
    Distance& distance = known[defect];
    std::istringstream output(output_of(defect, "seeded_distance"));
    if (!(output >> distance.total_variation >> distance.where >> distance.refused))
      distance.total_variation = -1.0;
  }
  return known[defect];
}

namespace {

/// As the table shows it: where the laws are float, what is below their rounding is none.
std::string shown(const Distance& distance) {
  if (distance.total_variation < 0.0) return "crashed";
  const std::string refused = distance.refused > 0 ? "refused" : "";
  if (distance.total_variation < 1e-5) return refused.empty() ? "0" : refused;
  return fmt::format("{:.2g}{}{}", distance.total_variation, refused.empty() ? "" : ", ", refused);
}

TEST(Catalogue, WithoutADefectTheLawIsTheTargets) {
  EXPECT_GE(distance_of(kNoDefect).total_variation, 0.0) << "the program did not run";
  EXPECT_LT(distance_of(kNoDefect).total_variation, 1e-5);
  EXPECT_EQ(distance_of(kNoDefect).refused, 0);
}

}  // namespace

std::vector<Column> columns() {
  const Column distance{"distance",
                        [](const Defect& defect) { return shown(distance_of(defect.name)); }};
  const Column sampled{"sampled", [](const Defect& defect) {
                         return defect.sampled.empty() ? "" : "`" + defect.sampled + "`";
                       }};
  return {name_column(), wrong_column(), wild_column(), distance, killed_by_column(), sampled};
}

}  // namespace speclab::defects
