// The figures of every committed run come back from its rows byte by byte.

#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/plots/process.h"
#include "analysis/report/report.h"
#include "sim/core/files.h"
#include "tests/analysis/support/synthetic_run.h"
#include "tests/support/shell.h"

namespace speclab::analysis {
namespace {

namespace fs = std::filesystem;

const fs::path kReference = SPECLAB_SOURCE_DIR "/results/reference";

/// Runs with figures and all that these are made of: default_policy_cpu was committed without its rounds.
std::vector<fs::path> runs_with_figures() {
  std::vector<fs::path> runs;
  for (const auto& entry : fs::directory_iterator(kReference))
    if (fs::exists(entry.path() / "figures") && (fs::exists(entry.path() / "rounds.csv") || fs::exists(entry.path() / "atlas.csv"))) runs.push_back(entry.path());
  return runs;
}

/// What decides about the bytes beside the rows.
std::string drawing_tools() { return speclab::testing::run_shell("gnuplot --version; pdftocairo -v 2>&1 | head -n 1").output; }

/// The run's tables without its figures.
void copy_tables(const fs::path& run, const std::string& folder) {
  for (const auto& entry : fs::directory_iterator(run))
    if (entry.is_regular_file()) fs::copy(entry.path(), folder);
}

TEST(ReferenceFigures, AreMadeAgainByteByByte) {
  const std::string drawn_with = read_file((kReference / "figure_tools.txt").string());
  if (drawing_tools() != drawn_with) GTEST_SKIP() << "the committed figures were drawn with " << drawn_with << "here are " << drawing_tools();
  ASSERT_GE(runs_with_figures().size(), 6u);
  for (const fs::path& run : runs_with_figures()) {
    const testing::ScratchFolder scratch;
    copy_tables(run, scratch.path());
    write_file(scratch.file("plotly.js"), "");
    const ReportSummary summary = write_report(scratch.path(), {.plotly_js = scratch.file("plotly.js")});
    EXPECT_FALSE(summary.figure_ids.empty());
    for (const std::string& id : summary.figure_ids)
      for (const char* ending : {".png", ".svg"})
        EXPECT_EQ(read_file((run / "figures" / (id + ending)).string()) == read_file(scratch.file("figures/" + id + ending)), true) << run << ": figures/" << id << ending << "; speclab report draws it again";
  }
}

}  // namespace
}  // namespace speclab::analysis
