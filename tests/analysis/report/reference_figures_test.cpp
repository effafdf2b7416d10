// The figures of every committed run come back from its rows byte by byte.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "analysis/plots/gnuplot.h"
#include "analysis/plots/training_figures.h"
#include "analysis/report/report.h"
#include "sim/core/files.h"
#include "tests/analysis/support/figure_intervals.h"
#include "tests/analysis/support/synthetic_run.h"
#include "tests/support/drawing_tools.h"

namespace speclab::analysis {
namespace {

namespace fs = std::filesystem;

const fs::path kReference = SPECLAB_SOURCE_DIR "/results/reference";

constexpr const char* kFigureRows[] = {"rounds.csv", "atlas.csv", "acceptance.csv"};

/// Runs with figures and all that these are made of: some were committed without their rounds.
std::vector<fs::path> runs_with_figures() {
  std::vector<fs::path> runs;
  for (const auto& entry : fs::directory_iterator(kReference))
    if (fs::exists(entry.path() / "figures") &&
        std::ranges::any_of(kFigureRows,
                            [&](const char* rows) { return fs::exists(entry.path() / rows); }))
      runs.push_back(entry.path());
  return runs;
}

/// Copies the run's tables without its figures. @return what a report of them needs
ReportOptions copy_tables(const fs::path& run, const testing::ScratchFolder& to) {
  for (const auto& entry : fs::directory_iterator(run))
    if (entry.is_regular_file()) fs::copy(entry.path(), to.path());
  write_file(to.file("plotly.js"), "/* plotly */");
  return {.plotly_js = to.file("plotly.js")};
}

class ReferenceFigures : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string others = speclab::testing::other_drawing_tools(kReference.string());
        !others.empty())
      GTEST_SKIP() << others;
  }
};

/// A figure of two folders, without its PDF, which knows the date.
void expect_same(const std::string& id, const fs::path& committed, const fs::path& drawn) {
  for (const char* ending : {".png", ".svg"})
    EXPECT_EQ(read_file((committed / (id + ending)).string()) ==
                  read_file((drawn / (id + ending)).string()),
              true)
        << committed << ": " << id << ending << "; speclab report draws it again";
}

TEST_F(ReferenceFigures, AreMadeAgainByteByByte) {
  ASSERT_GE(runs_with_figures().size(), 14u);
  for (const fs::path& run : runs_with_figures()) {
    const testing::ScratchFolder scratch;
    const ReportSummary summary = write_report(scratch.path(), copy_tables(run, scratch));
    EXPECT_FALSE(summary.figures.empty());
    for (const Figure& figure : summary.figures)
      expect_same(figure.id, run / "figures", scratch.file("figures"));
  }
}

TEST(FiguresOfCommittedRuns, HaveAnIntervalAndANumberAtEveryPoint) {
  ASSERT_GE(runs_with_figures().size(), 14u);
  for (const fs::path& run : runs_with_figures()) {
    const testing::ScratchFolder scratch;
    ReportOptions options = copy_tables(run, scratch);
    options.static_figures = false;
    const std::vector<Figure> figures = write_report(scratch.path(), options).figures;
    EXPECT_FALSE(figures.empty()) << run;
    for (const Figure& figure : figures) testing::expect_intervals(figure, run.string());
  }
}

std::vector<TrainingCurve> committed_curves() {
  std::vector<TrainingCurve> curves;
  for (const char* model : {"smollm2-drafter", "smollm2-feature", "smollm2-mlp"})
    curves.push_back(
        read_training_curve(std::string(SPECLAB_SOURCE_DIR) + "/results/models/" + model));
  return curves;
}

/// A committed table of a training and the manifest beside it, as `speclab report` takes them.
TrainingCurve curve_of(const fs::path& table, const fs::path& manifest) {
  const testing::ScratchFolder scratch;
  const fs::path folder = fs::path(scratch.path()) / table.stem();
  fs::create_directory(folder);
  fs::copy(table, folder / "training.csv");
  fs::copy(manifest, folder / "manifest.json");
  return read_training_curve(folder.string());
}

/// Heads have a manifest a stage, the closed world one for all.
std::vector<TrainingCurve> committed_tables() {
  std::vector<TrainingCurve> curves;
  for (const char* folder : {"mlp_heads_cpu", "closed_world_training_cpu"})
    for (const auto& entry : fs::directory_iterator(kReference / folder)) {
      if (entry.path().extension() != ".csv") continue;
      const fs::path stage =
          kReference / folder /
          (entry.path().stem().string().ends_with("_stage_2") ? "stage_2.json" : "stage_1.json");
      curves.push_back(curve_of(entry.path(),
                                fs::exists(stage) ? stage : kReference / folder / "manifest.json"));
    }
  return curves;
}

TEST(FiguresOfCommittedTrainings, HaveAnIntervalAtEveryPointOrSayWhoNotedNone) {
  std::vector<TrainingCurve> curves = committed_curves();
  for (const Figure& figure : training_figures(curves))
    testing::expect_intervals(figure, "all together");
  std::ranges::move(committed_tables(), std::back_inserter(curves));
  ASSERT_EQ(curves.size(), 3u + 16 + 7);
  for (const TrainingCurve& curve : curves)
    for (const Figure& figure : training_figures({curve}))
      testing::expect_intervals(figure, curve.name);
}

TEST_F(ReferenceFigures, OfTrainingsAreMadeAgainFromTheirCurves) {
  const testing::ScratchFolder scratch;
  for (const Figure& figure : training_figures(committed_curves())) {
    draw_static(figure, scratch.path());
    expect_same(figure.id, kReference / "feature_training_cpu" / "figures", scratch.path());
  }
}

}  // namespace
}  // namespace speclab::analysis
