#include "tests/defects/decoder_distance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "sim/system/files.h"
#include "tests/defects/seeded_run.h"
#include "tests/support/test_size.h"

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

namespace {

/// The distance that the committed table has for a defect.
std::string committed_distance(const std::string& defect) {
  static const std::string document = read_file(SPECLAB_CATALOGUE_DIR "/README.md");
  std::size_t begin = document.find("| `" + defect + "` |");
  for (int column = 0; column < 3 && begin != std::string::npos; ++column)
    begin = document.find(" | ", begin + 1);
  if (begin == std::string::npos) return "not in the table";
  return document.substr(begin + 3, document.find(" |", begin + 3) - begin - 3);
}

/// Measured for some defects; the others' is taken as it was committed. Every defect has its
/// killers run, and a distance changes only with the cases of the decoder's law.
std::string distance_cell(const Defect& defect) {
  const auto place = &defect - catalogue().data();
  const bool is_measured =
      std::getenv("SPECLAB_WRITE_TABLE") != nullptr || place % testing::by_size(60, 12, 1) == 0;
  return is_measured ? shown(distance_of(defect.name)) : committed_distance(defect.name);
}

}  // namespace

std::vector<Column> columns() {
  const Column distance{"distance", distance_cell};
  const Column sampled{"sampled", [](const Defect& defect) {
                         return defect.sampled.empty() ? "" : "`" + defect.sampled + "`";
                       }};
  return {name_column(), wrong_column(), wild_column(), distance, killed_by_column(), sampled};
}

}  // namespace speclab::defects
