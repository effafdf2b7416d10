// The table names the part of the program too. No part may have fewer than three defects.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/defects/seeded_run.h"

namespace speclab::defects {
namespace {

/// Defect: a part whose tests nobody tests.
TEST(Catalogue, HasThreeDefectsInEveryPart) {
  std::map<std::string, int> defects;
  for (const Defect& defect : catalogue()) ++defects[defect.part];
  EXPECT_GE(defects.size(), 12);
  for (const auto& [part, count] : defects) EXPECT_GE(count, 3) << part;
}

}  // namespace

std::vector<Column> columns() {
  return {name_column(),
          {"part", [](const Defect& defect) { return defect.part; }},
          wrong_column(),
          wild_column(),
          killed_by_column()};
}

}  // namespace speclab::defects
