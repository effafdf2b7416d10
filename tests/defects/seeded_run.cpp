#include "tests/defects/seeded_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

#include "tests/support/shell.h"

namespace speclab::defects {

void PrintTo(const Defect& defect, std::ostream* out) { *out << defect.name; }

const std::vector<Defect>& catalogue() {
  static const std::vector<Defect> defects{
#include "defects.inc"
  };
  return defects;
}

std::string output_of(const std::string& defect, const std::string& command,
                      const std::string& environment) {
  return testing::run_shell(fmt::format("{} SPECLAB_DEFECT='{}' '{}'/{} 2>&1", environment, defect,
                                        SPECLAB_BUILD_DIR, command))
      .output;
}

std::string seeded_tests(const std::string& suite) {
  return suite.empty() ? SPECLAB_SEEDED_TESTS : "seeded_" + suite;
}

std::string run_test(const std::string& defect, const std::string& suite, const std::string& test) {
  return output_of(defect,
                   fmt::format("{} --gtest_color=no --gtest_filter={}", seeded_tests(suite), test));
}

Column name_column() {
  return {"defect", [](const Defect& defect) { return fmt::format("`{}`", defect.name); }};
}
Column wrong_column() {
  return {"what is wrong", [](const Defect& defect) { return defect.wrong; }};
}
Column wild_column() {
  return {"where it occurred", [](const Defect& defect) { return defect.wild; }};
}
Column killed_by_column() {
  return {"killed by", [](const Defect& defect) {
            return fmt::format("`{}`", fmt::join(defect.killed_by, "`, `"));
          }};
}

}  // namespace speclab::defects
