// `speclab report` of a run that another process is measuring: the built program with fake engines.

#include <filesystem>

#include "tests/experiments/drivers/support/same_files.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

using testing::Outcome;
using testing::run_shell;
using testing::SmallExperiment;

class ProgramPartialReport : public ::testing::Test {
 protected:
  /// The run whose worker hangs in a generation of the prompt number 3, the first time.
  std::string run_command(const std::string& more) const {
    return "SPECLAB_FAKE_FAULT=" + std::to_string(experiment_.plan().sequence_id({.prompt = 3})) +
           ":hang:" + experiment_.folder("struck") + " " SPECLAB_PROGRAM " run " + config_ +
           " --no-report --workers 1 --output " + experiment_.folder("run") + " " + more;
  }
  std::string report_command(const std::string& folder, const std::string& more) const {
    return SPECLAB_PROGRAM " report " + experiment_.folder(folder) +
           " --no-static-figures --plotly " + plotly_ + " " + more;
  }
  std::string page(const std::string& folder) const {
    return experiment_.file(folder, "report.html");
  }

  const SmallExperiment experiment_{testing::memory_folder()};
  const std::string config_ = experiment_.config_file();
  const std::string plotly_ = (write_file(experiment_.folder("plotly.js"), "/* plotly */"),
                               experiment_.folder("plotly.js"));
};

TEST_F(ProgramPartialReport, IsMadeBesideTheRunAndTheWholeOneIsAsIfItHadNotBeen) {
  const std::string journals = "cat " + experiment_.folder("run") + "/journal " +
                               experiment_.folder("run") + "/shards/0/journal | sha256sum";
  const Outcome beside = run_shell(run_command(
      "2>/dev/null & pid=$!; until [ -e " + experiment_.folder("struck") +
      " ]; do sleep 0.05; done; before=$(" + journals + "); " + report_command("run", "2>&1") +
      "; echo code $?; " +
      report_command("run", "--output " + experiment_.folder("aside") + " 2>/dev/null") +
      "; [ \"$before\" = \"$(" + journals + ")\" ] && echo untouched; ls " +
      experiment_.folder("run") + " | tr '\\n' ' '; kill -KILL $pid; wait $pid"));
  EXPECT_NE(
      beside.output.find(
          "/run: the run has not ended, so this is a partial report, made from its journal: "),
      std::string::npos)
      << beside.output;
  for (const char* part : {" of 6 cells are complete\n", "Partial report: ", "code 0\n",
                           "untouched\n", "journal lock report.html shards "})
    EXPECT_NE(beside.output.find(part), std::string::npos) << part << "\n" << beside.output;
  EXPECT_NE(page("run").find("<p class=\"answer\">Partial report: "), std::string::npos);
  EXPECT_NE(page("run").find("What does the fake do?"), std::string::npos) << "the question";
  EXPECT_EQ(page("aside"), page("run"));

  ASSERT_EQ(run_shell(run_command("2>&1")).code, 0);
  EXPECT_NE(page("run").find("Partial report: "), std::string::npos) << "asked for none at its end";
  std::filesystem::copy(experiment_.folder("run"), experiment_.folder("apart"),
                        std::filesystem::copy_options::recursive);
  std::filesystem::remove(experiment_.folder("apart") + "/report.html");
  for (const char* folder : {"run", "apart"})
    ASSERT_EQ(run_shell(report_command(folder, "2>&1")).code, 0);
  EXPECT_EQ(page("run"), page("apart"));
  EXPECT_EQ(page("run").find("Partial report: "), std::string::npos);
}

TEST_F(ProgramPartialReport, IsNotTakenForTheWholeOneByTheRun) {
  ASSERT_EQ(run_shell(run_command("--set axes.drafter=none 2>&1 & pid=$!; until [ -e " +
                                  experiment_.folder("struck") +
                                  " ]; do sleep 0.05; done; kill -KILL $pid; wait $pid; " +
                                  report_command("run", "2>&1")))
                .code,
            0);
  ASSERT_EQ(run_shell(run_command("--set axes.drafter=none 2>&1")).code, 0);
  make_folder(experiment_.folder("cache") + "/plotly");
  std::filesystem::copy(plotly_, experiment_.folder("cache") + "/plotly/plotly.min.js");
  const Outcome again = run_shell(
      "SPECLAB_CACHE=" + experiment_.folder("cache") + " " SPECLAB_PROGRAM " run " + config_ +
      " --set axes.drafter=none --workers 1 --output " + experiment_.folder("run") + " 2>&1");
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_NE(again.output.find("is complete"), std::string::npos) << again.output;
  EXPECT_EQ(page("run").find("Partial report: "), std::string::npos);
}

/// What stops a run soon enough writes its tables; a journal that is touched later, as by a copy,
/// changes nothing.
TEST_F(ProgramPartialReport, OfAnInterruptedRunIsThatOfItsTables) {
  ASSERT_EQ(run_shell(run_command("2>&1 & pid=$!; until [ -e " + experiment_.folder("struck") +
                                  " ]; do sleep 0.05; done; kill -INT $pid; wait $pid"))
                .code,
            130);
  ASSERT_TRUE(std::filesystem::exists(experiment_.folder("run") + "/SHA256SUMS"));
  const Outcome outcome =
      run_shell("find " + experiment_.folder("run") + " -name journal | xargs touch -d tomorrow; " +
                report_command("run", "2>&1"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(outcome.output.find("artial report"), std::string::npos) << outcome.output;
  std::filesystem::remove(experiment_.folder("run") + "/SHA256SUMS");
  EXPECT_NE(run_shell(report_command("run", "2>&1")).output.find("artial report"),
            std::string::npos);
}

/// Defect: a report with --output touches the run folder, leaves a part of itself there, or differs
/// from the one beside the run.
TEST_F(ProgramPartialReport, OfAWholeRunIsNoneAndGoesWhereItIsTold) {
  ASSERT_EQ(run_shell(SPECLAB_PROGRAM " run " + config_ + " --no-report --output " +
                      experiment_.folder("run") + " 2>&1")
                .code,
            0);
  const std::string files = "ls -lR --time-style=full-iso " + experiment_.folder("run"),
                    before = run_shell(files).output;
  const Outcome aside =
      run_shell(report_command("run", "--output " + experiment_.folder("aside/deep") + " 2>&1"));
  EXPECT_EQ(aside.code, 0) << aside.output;
  EXPECT_EQ(run_shell(files).output, before);
  EXPECT_TRUE(std::filesystem::exists(experiment_.folder("aside/deep") + "/cells.csv"));
  const Outcome outcome = run_shell(report_command("run", "2>&1"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(outcome.output.find("artial report"), std::string::npos) << outcome.output;
  EXPECT_EQ(page("aside/deep"), page("run"));
  testing::expect_refusal("report " + experiment_.folder("run") +
                              " --output " SPECLAB_SOURCE_DIR "/results/reference/quickstart_cpu",
                          2, "holds a run or a training of its own");
}

}  // namespace
}  // namespace speclab
