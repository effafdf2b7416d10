// The exit codes of commands that are stopped, or that meet another run.

#include <filesystem>

#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/program/program.h"
#include "tests/experiments/program/tiny_models.h"

namespace speclab {
namespace {

using testing::Outcome;
using testing::run_program;
using testing::run_shell;

std::string run_of(const std::string& folder, const std::string& more) {
  return "run " SPECLAB_SOURCE_DIR
         "/experiments/configs/quickstart.toml --no-report --set 'axes.temperature=[0.0]' --set "
         "'axes.drafter=[\"prompt_lookup\"]'"
         " --set 'prompts.categories=[\"chat\"]' --set prompts.new_tokens=6 --set "
         "costs.repetitions=1 --set 'costs.rows=[1]' --set 'target.model=\"" +
         testing::TinyModels::get().target() + "\"' --output " + folder + " " + more;
}

TEST(ExitCodes, FiveIsARunThatIsNotTheOneThatWasBegun) {
  const testing::TemporaryFolder folder;
  ASSERT_EQ(run_program(run_of(folder.path("run"), "2>/dev/null")).code, 0);
  const Outcome drifted = run_program(run_of(folder.path("run"), "--set experiment.seed=2 2>&1"));
  EXPECT_EQ(drifted.code, 5);
  EXPECT_NE(drifted.output.find("experiment.seed: was 1, now 2"), std::string::npos)
      << drifted.output;
}

TEST(ExitCodes, ARunThatIsStoppedSaysBySignalWhichAndGoesOn) {
  const testing::TemporaryFolder folder;
  for (const auto& [signal, code] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    const std::string run = folder.path(signal);
    const Outcome outcome =
        run_shell(std::string(SPECLAB_PROGRAM) + " " +
                  run_of(run, "--set experiment.repetitions=2000 --yes") + " >/dev/null 2>" +
                  folder.path("err") + " & pid=$!; until [ -s " + run +
                  "/journal ] || ! kill -0 $pid; do sleep 0.1; done; kill -" + signal +
                  " $pid; wait $pid; exit $?");
    EXPECT_EQ(outcome.code, code) << read_file(folder.path("err"));
    EXPECT_NE(read_file(folder.path("err")).find("the same command goes on from there"),
              std::string::npos)
        << read_file(folder.path("err"));
  }
}

}  // namespace
}  // namespace speclab
