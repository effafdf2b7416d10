// The answer that `speclab run` ends with, as a line and as JSON.

#include <nlohmann/json.hpp>

#include "sim/system/files.h"
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
}

nlohmann::json object_of(const std::string& arguments, int code) {
  const Outcome outcome = run_program(arguments + " --json 2>/dev/null </dev/null");
  EXPECT_EQ(outcome.code, code) << outcome.output;
  return nlohmann::json::parse(outcome.output);
}

/// Defect: a script gets no object, or not the exit code, from a run with workers, a complete one,
/// one without a report, or one that is refused.
TEST(ProgramAnswer, JsonSaysHowAnyRunEnded) {
  const SmallExperiment experiment(testing::memory_folder());
  const std::string folder = experiment.folder("run"),
                    run = "run " + experiment.config_file() + " --yes --no-report --output ";
  const auto measured = object_of(run + folder + " --workers 2", 0);
  EXPECT_EQ(measured.at("status"), "complete");
  EXPECT_EQ(measured.at("was_complete"), false);
  EXPECT_EQ(measured.at("measured"), measured.at("generations"));
  EXPECT_EQ(measured.at("failed"), 0);
  EXPECT_TRUE(measured.at("report").is_null());
  const auto again = object_of(run + folder, 0);
  EXPECT_EQ(again.at("was_complete"), true);
  EXPECT_EQ(again.at("measured"), measured.at("measured"));
  const auto refused = object_of(run + folder + " --workers 2000", 2);
  EXPECT_EQ(refused.at("status"), "refused");
  EXPECT_EQ(refused.at("exit_code"), 2);
  EXPECT_NE(refused.at("error").get<std::string>().find("--workers 2000"), std::string::npos);
  EXPECT_TRUE(object_of("run /nowhere.toml", 2).at("folder").is_null());
}

/// Defect: --dry-run is prose alone, or its object has other counts than its lines.
TEST(ProgramAnswer, DryRunIsOneObjectToo) {
  const SmallExperiment experiment(testing::memory_folder());
  const std::string run = "run " + experiment.config_file() + " --dry-run";
  const auto plan = object_of(run, 0);
  const std::string words = run_program(run).output;
  for (const auto& [key, word] :
       {std::pair("cells", " cells"), std::pair("prompts", " prompts"),
        std::pair("generations", " generations of "), std::pair("pilots", " pilots")})
    EXPECT_NE(words.find(" " + plan.at(key).dump() + word), std::string::npos) << key << words;
  EXPECT_EQ(plan.at("cell_list").size(), plan.at("cells"));
  EXPECT_TRUE(plan.at("estimated_seconds").is_null());
  EXPECT_TRUE(plan.at("notes").at(0).get<std::string>().starts_with("time: not known"));
  const auto measured = object_of(
      "run " + experiment.config_file() + " --yes --no-report --output " + experiment.folder("run"),
      0);
  EXPECT_EQ(measured.at("generations"), plan.at("generations"));
  const auto known = object_of(run + " --output " + experiment.folder("run"), 0);
  EXPECT_GT(known.at("estimated_seconds"), 0.0);
  EXPECT_EQ(known.at("unknown_cells"), 0);
}

/// Defect: --machine keeps nothing, keeps the same costs twice, or is heeded where nothing is
/// timed.
TEST(ProgramMachine, KeepsTheCostsOfARun) {
  const SmallExperiment experiment(testing::memory_folder());
  const std::string folder = experiment.folder("run"), home = experiment.folder("home");
  make_folder(home);
  const auto run = [&](const std::string& more) {
    return testing::run_shell("cd " + home + " && " SPECLAB_PROGRAM " run " +
                              experiment.config_file() + " --yes --no-report --output " + folder +
                              " --machine " + more + " 2>&1");
  };
  EXPECT_EQ(run("../desk").code, 2);
  const Outcome untimed = run(
      "desk --set experiment.kind=drafter_acceptance --set 'axes.policy=[\"constant:4\"]' --set "
      "'axes.verifier=[\"rejection\"]' --set 'axes.drafter=[\"prompt_lookup\"]' --set "
      "experiment.repetitions=1");
  EXPECT_EQ(untimed.code, 2);
  EXPECT_NE(untimed.output.find("--machine: experiment.kind"), std::string::npos) << untimed.output;
  for (int call = 0; call < 2; ++call) {
    const Outcome kept = run("desk");
    EXPECT_EQ(kept.code, 0) << kept.output;
    EXPECT_NE(kept.output.find("the costs of desk are in results/machines/desk/v1"),
              std::string::npos)
        << kept.output;
  }
  EXPECT_EQ(read_file(home + "/results/machines/desk/v1/costs.csv"),
            read_file(folder + "/costs.csv"));
}

}  // namespace
}  // namespace speclab
