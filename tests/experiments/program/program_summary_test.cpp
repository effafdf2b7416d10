// `speclab summary`: against numbers computed by hand, and against README.md.

#include <gtest/gtest.h>

#include <filesystem>

#include "sim/system/files.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

const std::string kSummaryFolder = ::testing::TempDir() + "/speclab_summary";

/// Four drafters at two temperatures: the speed-up of drafter k is k at 0 and k + 0.5 at 1.
std::string pooled_cells() {
  std::string cells = "drafter,temperature,speedup,speedup_low,speedup_high,n_prompts\n";
  int k = 0;
  for (const char* drafter :
       {"prompt_lookup", "small_transformer", "feature_transformer", "lookup_transformer"}) {
    const std::string speedup = std::to_string(++k);
    cells += std::string(drafter) + ",0," + speedup + ",0.25," + speedup + ".75,3\n";
    cells += std::string(drafter) + ",1," + speedup + ".5,0.25," + speedup + ".75,3\n";
  }
  return cells;
}

void write_run(const std::string& ledger) {
  const std::string run = kSummaryFolder + "/walltime_vs_temperature_cpu";
  std::filesystem::remove_all(kSummaryFolder);
  std::filesystem::create_directories(run);
  write_file(run + "/cells_pooled.csv", pooled_cells());
  write_file(run + "/ledger.csv",
             "drafter,temperature,predicted_walltime_ns,walltime_ns\n" + ledger);
}

/// Defect: errors are of another run, or those of the speed-up are called errors of the walltime.
TEST(ProgramSummary, SaysHowFarThePredictionsOfItsRunAreOff) {
  // Walltimes are off by -10, -20 and +30 %; plain decoding by -10 and 0 %, so speed-ups are off by
  // 0.9 / 0.9, 0.9 / 0.8 and 1 / 1.3, less 1: 0, 12.5 and -23.1 %.
  write_run(
      "none,0,90,100\nprompt_lookup,0,45,50\nngram,0,80,100\n"
      "none,1,200,200\nprompt_lookup,1,130,100\n");
  const testing::Outcome outcome = testing::run_program("summary " + kSummaryFolder);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(
      outcome.output,
      "| drafter | speed-up at temperature 0 | speed-up at temperature 1 |\n"
      "|---|---|---|\n"
      "| `prompt_lookup` | 1.00 [0.25, 1.75] | 1.50 [0.25, 1.75] |\n"
      "| `small_transformer` | 2.00 [0.25, 2.75] | 2.50 [0.25, 2.75] |\n"
      "| `feature_transformer` | 3.00 [0.25, 3.75] | 3.50 [0.25, 3.75] |\n"
      "| `lookup_transformer` | 4.00 [0.25, 4.75] | 4.50 [0.25, 4.75] |\n\n"
      "The policy is `auto`, with 3 prompts. Brackets hold 95 % intervals over prompts.\n"
      "Predictions of this run, over its 3 cells that draft: walltimes are off by 20.0 % in the "
      "median and\n30.0 % at most (2 of them too low), speed-ups by 12.5 % in the median and "
      "23.1 % at most.\n");
}

/// Defect: a run without plain decoding, or without drafts, gives a line with a wrong number.
TEST(ProgramSummary, RefusesALedgerWithoutPlainDecodingOrDrafts) {
  write_run("prompt_lookup,0,45,50\n");
  testing::expect_refusal("summary " + kSummaryFolder, 3, "drafter = none");
  write_run("none,0,90,100\n");
  testing::expect_refusal("summary " + kSummaryFolder, 3, "no cell drafts");
}

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
