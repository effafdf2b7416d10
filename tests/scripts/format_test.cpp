// scripts/format on this tree, and on planted sources.

#include <gtest/gtest.h>

#include <filesystem>

#include "sim/system/files.h"
#include "tests/support/shell.h"

namespace speclab {
namespace {

testing::Outcome check(const std::string& files = "") {
  return testing::run_shell(SPECLAB_SOURCE_DIR "/scripts/format --check " + files + " 2>&1");
}

testing::Outcome check_planted(const std::string& source) {
  const std::string path = std::filesystem::temp_directory_path() / "speclab_planted_layout.cpp";
  write_file(path, source);
  testing::Outcome outcome = check(path);
  std::filesystem::remove(path);
  return outcome;
}

/// Defect: a source is committed that nobody laid out.
TEST(Format, LeavesNothingToDoInThisTree) {
  const testing::Outcome outcome = check();
  EXPECT_EQ(outcome.code, 0) << outcome.output;
}

/// Defect: the check passes whatever it reads.
TEST(Format, SeesALooseLayoutAndAWideLine) {
  EXPECT_EQ(check_planted("int f() { return 1; }\n").code, 0);
  EXPECT_EQ(check_planted("int  f(){return 1;}\n").code, 1);
  const std::string wide = "const char* text = R\"(" + std::string(80, 'x') + ")\";\n";
  const testing::Outcome outcome = check_planted(wide);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find(":1: 105 columns; allowed: 100"), std::string::npos)
      << outcome.output;
}

}  // namespace
}  // namespace speclab
