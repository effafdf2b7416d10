// The figures of every frozen run come back from its rows: their numbers, and byte by byte.

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "analysis/plots/gnuplot.h"
#include "analysis/plots/kind_figures.h"
#include "analysis/report/report.h"
#include "sim/system/files.h"
#include "tests/analysis/support/figure_intervals.h"
#include "tests/analysis/support/synthetic_run.h"
#include "tests/support/drawing_tools.h"
#include "tests/support/figure_marks.h"

namespace speclab::analysis {
namespace {

namespace fs = std::filesystem;

const fs::path kGoldenRuns = speclab::testing::kGoldenRuns;

std::vector<fs::path> golden_runs() {
  std::vector<fs::path> runs;
  for (const auto& entry : fs::directory_iterator(kGoldenRuns))
    if (fs::exists(entry.path() / "manifest.toml")) runs.push_back(entry.path());
  return runs;
}

/// Copies the run's tables without its figures. @return what a report of them needs
ReportOptions copy_tables(const fs::path& run, const testing::ScratchFolder& to) {
  for (const auto& entry : fs::directory_iterator(run))
    if (entry.is_regular_file()) fs::copy(entry.path(), to.path());
  write_file(to.file("plotly.js"), "/* plotly */");
  return {.plotly_js = to.file("plotly.js")};
}

class GoldenFigures : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string others = speclab::testing::other_drawing_tools(); !others.empty())
      GTEST_SKIP() << others;
  }
};

TEST_F(GoldenFigures, AreMadeAgainByteByByte) {
  ASSERT_EQ(golden_runs().size(), 8u);
  for (const fs::path& run : golden_runs()) {
    const testing::ScratchFolder scratch;
    EXPECT_FALSE(write_report(scratch.path(), copy_tables(run, scratch)).figures.empty());
    speclab::testing::expect_golden_figures(run.filename().string(), scratch.file("figures"));
  }
}

/// Defect: a figure of a run shows other numbers than it did.
TEST(FiguresOfGoldenRuns, HaveTheSameMarks) {
  const speclab::testing::MarksOnly marks_only;
  ASSERT_EQ(golden_runs().size(), 8u);
  for (const fs::path& run : golden_runs()) {
    const testing::ScratchFolder scratch;
    write_report(scratch.path(), copy_tables(run, scratch));
    speclab::testing::expect_golden_marks(run.filename().string(), scratch.file("figures"));
  }
}

TEST(FiguresOfGoldenRuns, HaveAnIntervalAndANumberAtEveryPoint) {
  ASSERT_EQ(golden_runs().size(), 8u);
  for (const fs::path& run : golden_runs()) {
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
  for (const char* model : {"smollm2-drafter/v2", "smollm2-feature/v2", "smollm2-mlp/v1"})
    curves.push_back(
        read_training_curve(std::string(SPECLAB_SOURCE_DIR) + "/results/models/" + model));
  return curves;
}

/// A frozen table of a training and the manifest beside it, as `speclab report` takes them.
TrainingCurve curve_of(const fs::path& table, const fs::path& manifest) {
  const testing::ScratchFolder scratch;
  const fs::path folder = fs::path(scratch.path()) / table.stem();
  fs::create_directory(folder);
  fs::copy(table, folder / "training.csv");
  fs::copy(manifest, folder / "manifest.json");
  return read_training_curve(folder.string());
}

/// Heads have a manifest a stage, the closed world has one for all.
std::vector<TrainingCurve> golden_curves() {
  const fs::path folder = kGoldenRuns / "trainings";
  std::vector<TrainingCurve> curves;
  for (const auto& [table, manifest] : {std::pair{"prose_3", "stage_1"},
                                        {"prose_8", "stage_1"},
                                        {"prose_3_stage_2", "stage_2"},
                                        {"closed_world_3m", "closed_world"},
                                        {"closed_world_10m", "closed_world"}})
    curves.push_back(curve_of(folder / (std::string(table) + ".csv"),
                              folder / (std::string(manifest) + ".json")));
  return curves;
}

TEST(FiguresOfTrainings, HaveAnIntervalAtEveryPointOrSayWhoNotedNone) {
  std::vector<TrainingCurve> curves = committed_curves();
  for (const Figure& figure : training_figures(curves))
    testing::expect_intervals(figure, "all together");
  std::ranges::move(golden_curves(), std::back_inserter(curves));
  for (const TrainingCurve& curve : curves)
    for (const Figure& figure : training_figures({curve}))
      testing::expect_intervals(figure, curve.name);
}

/// Defect: a curve of a committed model shows other numbers than it did.
TEST(FiguresOfTrainings, HaveTheSameMarks) {
  const speclab::testing::MarksOnly marks_only;
  const testing::ScratchFolder scratch;
  for (const Figure& figure : training_figures(committed_curves()))
    draw_static(figure, scratch.path());
  speclab::testing::expect_golden_marks("trainings/models", scratch.path());
}

/// Defect: marks are compared in a way that no other number, end or figure fails.
TEST(FigureMarks, DifferWhereOneNumberDiffers) {
  const speclab::testing::MarksOnly marks_only;
  const testing::ScratchFolder scratch;
  std::vector<Figure> figures = training_figures(committed_curves());
  for (const Figure& figure : figures) draw_static(figure, scratch.path());
  Figure& changed = figures.back();
  changed.series.back().points.back().y *= 1 + 1e-4;
  draw_static(changed, scratch.path());
  EXPECT_NONFATAL_FAILURE(speclab::testing::expect_golden_marks("trainings/models", scratch.path()),
                          "is now");
  for (const char* extension : {".pdf", ".png", ".svg"})
    fs::remove(scratch.file(changed.id + extension));
  EXPECT_NONFATAL_FAILURE(speclab::testing::expect_golden_marks("trainings/models", scratch.path()),
                          "is now");
}

TEST_F(GoldenFigures, OfTrainingsAreMadeAgainFromTheirCurves) {
  const testing::ScratchFolder scratch;
  for (const Figure& figure : training_figures(committed_curves()))
    draw_static(figure, scratch.path());
  speclab::testing::expect_golden_figures("trainings/models", scratch.path());
}

}  // namespace
}  // namespace speclab::analysis
