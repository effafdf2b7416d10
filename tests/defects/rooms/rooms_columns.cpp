// The table of the newest rooms names the room too. No room may have fewer than three defects.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/defects/seeded_run.h"

namespace speclab::defects {
namespace {

/// Defect: a room whose tests nobody tests.
TEST(Catalogue, HasThreeDefectsInEveryRoom) {
  std::map<std::string, int> defects;
  for (const Defect& defect : catalogue()) ++defects[defect.room];
  EXPECT_GE(defects.size(), 12);
  for (const auto& [room, count] : defects) EXPECT_GE(count, 3) << room;
}

}  // namespace

std::vector<Column> columns() {
  return {name_column(),
          {"room", [](const Defect& defect) { return defect.room; }},
          wrong_column(),
          wild_column(),
          killed_by_column()};
}

}  // namespace speclab::defects
