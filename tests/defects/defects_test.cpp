// The tests of the tests: every defect of a catalogue, seeded into the shipping sources, fails the
// tests that it names, which pass without it. The table in the README.md beside the catalogue is
// made of this run (SPECLAB_WRITE_TABLE=1 writes it).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "sim/system/files.h"
#include "tests/defects/seeded_run.h"

namespace speclab::defects {
namespace {

/// A test that kills, with its suite before it.
using SuiteAndTest = std::pair<std::string, std::string>;

std::set<SuiteAndTest> killers() {
  std::set<SuiteAndTest> tests;
  for (const Defect& defect : catalogue())
    for (const std::string& test : defect.killed_by) tests.insert({defect.suite, test});
  return tests;
}

std::string test_name(std::string text) {
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return text;
}

class Killer : public ::testing::TestWithParam<SuiteAndTest> {};
INSTANTIATE_TEST_SUITE_P(, Killer, ::testing::ValuesIn(killers()),
                         [](const auto& named) { return test_name(named.param.second); });

TEST_P(Killer, PassesWithoutADefect) {
  const auto& [suite, killer] = GetParam();
  const std::string text = run_test(kNoDefect, suite, killer);
  EXPECT_NE(text.find("[  PASSED  ] 1 test"), std::string::npos) << text;
}

class SeededDefect : public ::testing::TestWithParam<Defect> {};
INSTANTIATE_TEST_SUITE_P(, SeededDefect, ::testing::ValuesIn(catalogue()),
                         [](const auto& named) { return named.param.name; });

TEST_P(SeededDefect, IsKilledByTheTestsItNames) {
  ASSERT_FALSE(GetParam().killed_by.empty());
  for (const std::string& test : GetParam().killed_by) {
    const std::string text = run_test(GetParam().name, GetParam().suite, test);
    EXPECT_NE(text.find("[  FAILED  ] 1 test"), std::string::npos) << test << " lets it live:\n"
                                                                   << text;
  }
}

TEST(Catalogue, HasAsManyDefectsAsItMust) {
  EXPECT_GE(catalogue().size(), std::size_t{SPECLAB_LEAST_DEFECTS});
}

/// One row of a table, of what `text_of` says of each column.
template <typename TextOf>
std::string row(TextOf text_of) {
  std::string text = "|";
  for (const Column& column : columns()) text += fmt::format(" {} |", text_of(column));
  return text + "\n";
}

std::string table() {
  std::string text = row([](const Column& column) { return column.title; }) + "|";
  for (std::size_t i = 0; i < columns().size(); ++i) text += "---|";
  text += "\n";
  for (const Defect& defect : catalogue())
    text += row([&](const Column& column) { return column.cell(defect); });
  return text;
}

TEST(Catalogue, TableIsThatOfThisRun) {
  const std::string path = SPECLAB_CATALOGUE_DIR "/README.md";
  const std::string document = read_file(path);
  const std::size_t begin = document.find("| defect |");
  ASSERT_NE(begin, std::string::npos);
  const std::string fresh = document.substr(0, begin) + table();
  if (std::getenv("SPECLAB_WRITE_TABLE") != nullptr) write_file(path, fresh);
  EXPECT_EQ(read_file(path), fresh)
      << "run this test with SPECLAB_WRITE_TABLE=1 and commit the table";
}

}  // namespace
}  // namespace speclab::defects
