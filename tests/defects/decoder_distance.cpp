// How far a defect of decoding moves the law of what a decoder writes: the catalogue's own column.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "tests/defects/seeded_run.h"

namespace speclab::defects {
namespace {

/// What the decoders' law says of a defect.
struct Distance {
  double total_variation = -1.0;
  std::string where;
  int refused = 0;
};

const Distance& distance_of(const std::string& defect) {
  static std::map<std::string, Distance> known;
  if (!known.contains(defect)) {
    Distance& distance = known[defect];
    std::istringstream output(output_of(defect, "seeded_distance"));
    if (!(output >> distance.total_variation >> distance.where >> distance.refused)) distance.total_variation = -1.0;
  }
  return known[defect];
}

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

std::optional<ExtraColumn> extra_column() {
  return ExtraColumn{"distance", [](const Defect& defect) { return shown(distance_of(defect.name)); }};
}

}  // namespace speclab::defects
