// `speclab summary` against README.md.

#include <gtest/gtest.h>

#include "sim/core/files.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

/// Defect: a figure of the first page is typed by hand, or its table has changed since.
TEST(ProgramSummary, IsTheBlockOfTheReadme) {
  const std::string page = read_file(SPECLAB_SOURCE_DIR "/README.md"), begin = "<!-- figures -->\n",
                    end = "<!-- end figures -->";
  const std::size_t first = page.find(begin) + begin.size();
  ASSERT_NE(page.find(begin), std::string::npos);
  const testing::Outcome outcome = testing::run_program("summary");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output, page.substr(first, page.find(end) - first));
}

/// Defect: a folder without the tables gives an empty block.
TEST(ProgramSummary, RefusesAFolderWithoutTheTables) {
  testing::expect_refusal("summary " SPECLAB_SOURCE_DIR "/tests/golden", 3, "cells_pooled.csv");
}

}  // namespace
}  // namespace speclab
