// Figures of the papers' measured tables, from frozen sweeps.

#include <gtest/gtest.h>

#include "experiments/drivers/reproduce/measured/measured_table.h"
#include "tests/analysis/support/figure_intervals.h"

namespace speclab::experiments {
namespace {

TEST(MeasuredFigures, HaveAnIntervalAndANumberAtEveryPointOfOurs) {
  const std::string runs = SPECLAB_SOURCE_DIR "/tests/golden/runs/papers/";
  for (const MeasuredTable& table : measured_tables()) {
    RunFolders folders;
    for (const char* run : table.runs)
      if (!paper_run(run).is_extra) folders[run] = runs + run;
    const Reproduction result = table.compare(Papers(), folders);
    EXPECT_FALSE(result.figures.empty()) << table.id;
    for (const analysis::Figure& figure : result.figures)
      analysis::testing::expect_intervals(figure, table.id, analysis::testing::Hollow::of_a_paper);
  }
}

}  // namespace
}  // namespace speclab::experiments
