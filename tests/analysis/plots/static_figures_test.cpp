// Figures as files: drawn whole, in place or not at all, whatever their folders are called and
// their texts say.

#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/plots/gnuplot.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/analysis/support/summarised_run.h"
#include "tests/support/file_size_limit.h"

namespace speclab::analysis {
namespace {

TEST(StaticFigures, AreWrittenInThreeFormats) {
  testing::SummarisedRun fixture({.shape_models = {"tiny", "small", "large"}, .repetitions = 1});
  for (const auto& figure : build_figures(fixture.data, fixture.bootstrap)) {
    draw_static(figure, fixture.scratch.path());
    const std::string stem = fixture.scratch.file(figure.id);
    EXPECT_TRUE(read_file(stem + ".pdf").starts_with("%PDF"));
    EXPECT_TRUE(read_file(stem + ".png").starts_with("\x89PNG"));
    EXPECT_NE(read_file(stem + ".svg").find("<svg"), std::string::npos);
  }
}

TEST(StaticFigures, LeaveNoScratchWhenDrawingFails) {
  testing::SummarisedRun fixture({.temperatures = {0.0}, .repetitions = 1});
  const Figure figure = build_figures(fixture.data, fixture.bootstrap).front();
  std::filesystem::create_directories(fixture.scratch.file(figure.id + ".svg") + "/in the way");
  EXPECT_THROW(draw_static(figure, fixture.scratch.path()), WriteError);
  std::size_t scratch_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture.scratch.path()))
    scratch_files += entry.path().filename().string().starts_with(".") ? 1 : 0;
  EXPECT_EQ(scratch_files, 0u);
}

TEST(StaticFigures, KeepTheOldFilesWhenDrawingFails) {
  testing::SummarisedRun fixture({.temperatures = {0.0}, .repetitions = 1});
  const Figure figure = build_figures(fixture.data, fixture.bootstrap).front();
  write_file(fixture.scratch.file(figure.id + ".pdf"), "old");
  std::filesystem::create_directories(fixture.scratch.file(figure.id + ".svg") + "/in the way");
  EXPECT_THROW(draw_static(figure, fixture.scratch.path()), WriteError);
  EXPECT_EQ(read_file(fixture.scratch.file(figure.id + ".pdf")), "old");
}

Figure small_figure(const std::string& caption) {
  return {.id = "x",
          .title = "t",
          .caption = caption,
          .series = {{.name = "a", .colour = 1, .points = {{.x = 0, .y = 1}}}}};
}

/// gnuplot runs what stands behind a bar, and takes a tilde for somebody's home.
TEST(StaticFigures, AreDrawnInFoldersOfAnyName) {
  const testing::ScratchFolder scratch;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.path());
  for (const std::string folder :
       {"|touch taken;", "~", "it''s", "$(touch taken)", "`touch taken`"}) {
    std::filesystem::create_directory(folder);
    EXPECT_NO_THROW(draw_static(small_figure("c"), folder)) << folder;
    EXPECT_TRUE(std::filesystem::exists(folder + "/x.png")) << folder;
  }
  EXPECT_FALSE(std::filesystem::exists("taken")) << "a name was run";
  std::filesystem::current_path(before);
}

TEST(StaticFigures, HaveAnyApostrophesInTheirTexts) {
  const testing::ScratchFolder scratch;
  for (const char* caption : {"'", "''", "it''s", "'''lead and end'''", "a\n'b"})
    EXPECT_NO_THROW(draw_static(small_figure(caption), scratch.path())) << caption;
}

TEST(StaticFigures, WriteThroughNoLinkThatWaitsForThem) {
  const testing::ScratchFolder scratch;
  write_file(scratch.file("precious"), "precious");
  std::filesystem::create_symlink(scratch.file("precious"), scratch.file("x.pdf"));
  draw_static(small_figure("c"), scratch.path());
  EXPECT_EQ(read_file(scratch.file("precious")), "precious");
  EXPECT_FALSE(std::filesystem::is_symlink(scratch.file("x.pdf")));
}

TEST(RunProcess, SaysSoWhenItsInputDoesNotFitOnTheDisk) {
  const speclab::testing::FileSizeLimit limit(4096);
  EXPECT_THROW(run_process({"true"}, std::string(100'000, 'x')), WriteError);
}

TEST(StaticFigures, ReportWhatGnuplotObjectsTo) {
  EXPECT_THROW(draw_static(small_figure("c"), "/nonexistent/folder"), WriteError);
  EXPECT_THROW(run_process({"speclab-no-such-program"}, ""), WriteError);
}

}  // namespace
}  // namespace speclab::analysis
