// scripts/words on this tree, and on planted texts.

#include <gtest/gtest.h>

#include <filesystem>

#include "sim/system/files.h"
#include "tests/support/shell.h"

namespace speclab {
namespace {

testing::Outcome words(const std::string& arguments) {
  return testing::run_shell(SPECLAB_SOURCE_DIR "/scripts/words " + arguments + " 2>&1");
}

testing::Outcome words_of(const std::string& name, const std::string& text) {
  const std::string path = std::filesystem::temp_directory_path() / ("speclab_planted_" + name);
  write_file(path, text);
  testing::Outcome outcome = words("--list " + path);
  std::filesystem::remove(path);
  return outcome;
}

void expect_offence(const std::string& name, const std::string& text, const std::string& offence) {
  const testing::Outcome outcome = words_of(name, text);
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_NE(outcome.output.find(offence), std::string::npos) << outcome.output;
}

/// Defect: a text for users is committed that has to be read twice.
TEST(Words, FindsThisTreePlain) {
  const testing::Outcome outcome = words("");
  EXPECT_EQ(outcome.code, 0) << outcome.output << words("--list").output;
}

/// Defect: the check passes whatever it reads.
TEST(Words, SeesABadOpeningInEachFormOfText) {
  expect_offence("page.md", "The cell runs.\n\n- Of the cells\n  one is left.\n",
                 ".md:3: README: ");
  expect_offence("header.h", "/// Whose model it is.\nint f();\n", ".h:1: comment: opens with");
  expect_offence("source.cpp",
                 "void f() {\n  throw Error(name +\n   \": what it \" \"read\");\n}\n",
                 ".cpp:3: error: opens with 'what it'");
}

/// Defect: long sentences pass, or a full stop inside one ends it.
TEST(Words, SeesALongSentence) {
  std::string text = "It counts";
  for (int i = 0; i < 28; ++i) text += " e.g. more";
  expect_offence("long.md", text + ".\n", "58 words");
  EXPECT_EQ(words_of("parted.md", "It counts. It counts more. It ends here.\n").code, 0);
}

/// Defect: code, tables and questions count as sentences that open badly.
TEST(Words, LeavesCodeTablesAndQuestionsAlone) {
  const std::string page =
      "The page is plain.\n\n```\nOf course not code.\n```\n\n| Of a table | one cell |\n"
      "\nWhich drafter is fastest?\n";
  const testing::Outcome outcome = words_of("page.md", page);
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("README            2 "), std::string::npos) << outcome.output;
}

}  // namespace
}  // namespace speclab
