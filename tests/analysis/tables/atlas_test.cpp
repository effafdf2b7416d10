#include "analysis/tables/atlas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/analysis/support/synthetic_run.h"

namespace speclab::analysis {
namespace {

std::vector<AtlasRow> read_atlas_text(const std::string& lines) {
  const testing::ScratchFolder scratch;
  write_file(scratch.file("atlas.csv"),
             fmt::format("{}\n{}", fmt::join(atlas_table().names(), ","), lines));
  return read_atlas(scratch.file("atlas.csv"));
}

std::string line(const char* cell, const char* rule, int lossless, double distance) {
  return fmt::format(
      "{},all,m,bigram,chain,constant:4,rejection,1,0,1,0,1,{},1,{},{},10,40,0.5,0.5,0.4,0.6,0.9,2,"
      "2,1.8,2.2,0.8\n",
      cell, rule, lossless, distance);
}

TEST(Atlas, IsReadRowByRow) {
  const auto rows = read_atlas_text(line("a", "rejection", 1, 0) + line("a", "lenient", 0, 0.03) +
                                    line("b", "rejection", 1, 0));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].distance, 0.03);
  EXPECT_TRUE(read_atlas_text("").empty());
}

TEST(Atlas, RefusesRowsThatContradictEachOther) {
  EXPECT_THROW(read_atlas_text(line("a", "rejection", 1, 0.03)), DataError);
  EXPECT_THROW(read_atlas_text(line("a", "rejection", 1, 0) + line("a", "rejection", 1, 0)),
               DataError);
}

}  // namespace
}  // namespace speclab::analysis
