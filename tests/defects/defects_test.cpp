// The tests of the tests: every defect of catalogue.toml, seeded into the shipping sources, fails the tests that it names, which
// pass without it. The table in README.md is made of this run (SPECLAB_WRITE_TABLE=1 writes it).

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/core/files.h"
#include "tests/support/shell.h"

namespace speclab {
namespace {

struct Defect {
  std::string name, wrong, wild, file;
  std::vector<std::string> killed_by;
  std::string sampled;  ///< rule whose goodness of fit shows it; empty where that test does not reach the place
};

void PrintTo(const Defect& defect, std::ostream* out) { *out << defect.name; }

const std::vector<Defect>& catalogue() {
  static const std::vector<Defect> defects{
#include "defects.inc"
  };
  return defects;
}

constexpr const char* kNoDefect = "";

/// What a program of the build prints, run with a defect.
std::string output_of(const std::string& defect, const std::string& command) {
  return testing::run_shell(fmt::format("SPECLAB_DEFECT='{}' '{}'/{} 2>&1", defect, SPECLAB_BUILD_DIR, command)).output;
}

std::string run_test(const std::string& defect, const std::string& test) { return output_of(defect, "seeded_tests --gtest_color=no --gtest_filter=" + test); }

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

std::set<std::string> killers() {
  std::set<std::string> tests;
  for (const Defect& defect : catalogue()) tests.insert(defect.killed_by.begin(), defect.killed_by.end());
  return tests;
}

std::string test_name(std::string text) {
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return text;
}

class Killer : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, Killer, ::testing::ValuesIn(killers()), [](const auto& named) { return test_name(named.param); });

TEST_P(Killer, PassesWithoutADefect) {
  const std::string text = run_test(kNoDefect, GetParam());
  EXPECT_NE(text.find("[  PASSED  ] 1 test"), std::string::npos) << text;
}

class SeededDefect : public ::testing::TestWithParam<Defect> {};
INSTANTIATE_TEST_SUITE_P(, SeededDefect, ::testing::ValuesIn(catalogue()), [](const auto& named) { return named.param.name; });

TEST_P(SeededDefect, IsKilledByTheTestsItNames) {
  ASSERT_FALSE(GetParam().killed_by.empty());
  for (const std::string& test : GetParam().killed_by) {
    const std::string text = run_test(GetParam().name, test);
    EXPECT_NE(text.find("[  FAILED  ] 1 test"), std::string::npos) << test << " lets it live:\n" << text;
  }
}

/// The goodness of fit of one rule over real laws, with a defect.
std::string goodness_of_fit(const std::string& defect, const std::string& rule, const std::string& environment = "") {
  static const std::string pairs = [] {
    std::string path = ::testing::TempDir() + "/speclab_real_pairs";
    EXPECT_NE(output_of(kNoDefect, "log_pairs '" + path + "' && echo logged").find("logged"), std::string::npos);
    return path;
  }();
  const std::string program = fmt::format("seeded_goodness_of_fit --gtest_color=no --gtest_filter='*/{}'", rule);
  return testing::run_shell(fmt::format("SPECLAB_PAIRS='{}' {} SPECLAB_DEFECT='{}' '{}'/{} 2>&1", pairs, environment, defect, SPECLAB_BUILD_DIR, program)).output;
}

std::vector<Defect> sampled_defects() {
  std::vector<Defect> defects;
  std::ranges::copy_if(catalogue(), std::back_inserter(defects), [](const Defect& defect) { return !defect.sampled.empty(); });
  return defects;
}

class SampledDefect : public ::testing::TestWithParam<Defect> {};
INSTANTIATE_TEST_SUITE_P(, SampledDefect, ::testing::ValuesIn(sampled_defects()), [](const auto& named) { return named.param.name; });

TEST_P(SampledDefect, IsFoundByTheGoodnessOfFit) {
  const std::string text = goodness_of_fit(GetParam().name, GetParam().sampled);
  EXPECT_NE(text.find("[  FAILED  ] 1 test"), std::string::npos) << GetParam().sampled << " lets it live:\n" << text;
}

TEST(SampledDefects, AreAllOfTheRulesThatMoveTheLawByAHundredth) {
  for (const Defect& defect : catalogue())
    if (defect.file.starts_with("sim/core/rules/") && distance_of(defect.name).total_variation >= 0.01) EXPECT_FALSE(defect.sampled.empty()) << defect.name;
}

/// With a fifth of the samples: the shipping sources have a test of their own.
TEST(SampledDefects, AreNotFoundWhereThereIsNone) {
  const std::string text = goodness_of_fit(kNoDefect, "*", "SPECLAB_SAMPLES=20000");
  EXPECT_NE(text.find("[  PASSED  ] 8 tests"), std::string::npos) << text;
}

TEST(Catalogue, HasAtLeastThirtyDefects) { EXPECT_GE(catalogue().size(), 30U); }

TEST(Catalogue, WithoutADefectTheLawIsTheTargets) {
  EXPECT_GE(distance_of(kNoDefect).total_variation, 0.0) << "the program did not run";
  EXPECT_LT(distance_of(kNoDefect).total_variation, 1e-5);
  EXPECT_EQ(distance_of(kNoDefect).refused, 0);
}

std::string table() {
  std::string text = "| defect | what is wrong | where it occurred | distance | killed by | sampled |\n|---|---|---|---|---|---|\n";
  for (const Defect& defect : catalogue())
    text += fmt::format("| `{}` | {} | {} | {} | `{}` | {} |\n", defect.name, defect.wrong, defect.wild, shown(distance_of(defect.name)),
                        fmt::join(defect.killed_by, "`, `"), defect.sampled.empty() ? "" : "`" + defect.sampled + "`");
  return text;
}

TEST(Catalogue, TableIsThatOfThisRun) {
  const std::string path = SPECLAB_SOURCE_DIR "/tests/defects/README.md";
  const std::string document = read_file(path);
  const std::size_t begin = document.find("| defect |");
  ASSERT_NE(begin, std::string::npos);
  const std::string fresh = document.substr(0, begin) + table();
  if (std::getenv("SPECLAB_WRITE_TABLE") != nullptr) write_file(path, fresh);
  EXPECT_EQ(read_file(path), fresh) << "run defects_test with SPECLAB_WRITE_TABLE=1 and commit the table";
}

}  // namespace
}  // namespace speclab
