// The answer that `speclab run` ends with, as a line and as JSON.

#include <nlohmann/json.hpp>

#include "sim/core/files.h"
#include "tests/experiments/drivers/support/small_experiment.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

using testing::Outcome;
using testing::run_program;
using testing::SmallExperiment;

/// Defect: the last line is not the gain with its report, or --json gives another answer, prints a
/// line beside its object, or loses it for a folder name that is no UTF-8.
TEST(ProgramAnswer, IsTheLastLineAndTheSameAsJson) {
  const SmallExperiment experiment(testing::memory_folder());
  const std::string folder = experiment.folder("run"),
                    run = "run " + experiment.config_file() + " --yes --output ";
  const Outcome lines = run_program(run + folder);
  ASSERT_EQ(lines.code, 0) << lines.output;
  const Outcome json = run_program(run + folder + " --json 2>/dev/null");
  ASSERT_EQ(json.code, 0) << json.output;
  const auto object = nlohmann::json::parse(json.output);
  const std::string answer = object.at("answer");
  EXPECT_TRUE(answer.starts_with("Speculation ")) << answer;
  EXPECT_NE(answer.find("at temperature 0"), std::string::npos) << answer;
  EXPECT_TRUE(lines.output.ends_with("\n" + answer + " Open " + folder + "/report.html\n"))
      << lines.output;
  EXPECT_EQ(object.at("report"), folder + "/report.html");
  EXPECT_GT(object.at("cells"), 0);
  const Outcome odd = run_program(run + folder + "$(printf '\\377') --json 2>/dev/null");
  EXPECT_EQ(odd.code, 0);
  EXPECT_NO_THROW(nlohmann::json::parse(odd.output)) << odd.output;
  testing::expect_refusal(run + folder + " --json --dry-run", 2, "--dry-run excludes --json");
}

}  // namespace
}  // namespace speclab
