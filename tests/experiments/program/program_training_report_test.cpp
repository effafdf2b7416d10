// `speclab report` of trainings, as a user meets it.

#include <filesystem>
#include <string>
#include <vector>

#include "sim/system/files.h"
#include "sim/system/versions.h"
#include "tests/experiments/program/program.h"
#include "tests/support/drawing_tools.h"
#include "tests/support/figure_marks.h"

namespace speclab {
namespace {

using testing::expect_refusal;
using testing::Outcome;
using testing::run_program;

constexpr const char* kFeature = SPECLAB_SOURCE_DIR "/results/models/smollm2-feature";
constexpr const char* kMlp = SPECLAB_SOURCE_DIR "/results/models/smollm2-mlp";

/// The table and the manifest of a training, of which the first may have another name.
void copy_training(const std::string& curve, const std::string& manifest,
                   const std::string& folder) {
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(curve, folder + "/training.csv");
  std::filesystem::copy_file(manifest, folder + "/manifest.json");
}

void copy_training(const std::string& drafter, const std::string& folder) {
  const std::string from = newest_version(drafter);
  copy_training(from + "/training.csv", from + "/manifest.json", folder);
}

std::string fresh_report_folder(const std::string& name) {
  const std::string folder = ::testing::TempDir() + "/" + name;
  std::filesystem::remove_all(folder);
  return folder;
}

TEST(ProgramTrainingReport, DrawsEveryDraftedTokenOfOneTraining) {
  const std::string folder = fresh_report_folder("one_training"),
                    training = folder + "/smollm2-mlp";
  copy_training(kMlp, training);
  const Outcome report = run_program("report " + training + " 2>&1");
  ASSERT_EQ(report.code, 0) << report.output;
  EXPECT_NE(report.output.find("smollm2-mlp: after "), std::string::npos) << report.output;
  EXPECT_NE(report.output.find("tokens a round with 3 drafts"), std::string::npos) << report.output;
  const std::string loss = read_file(training + "/figures/training_loss.svg");
  for (const char* figure : {"training_acceptance.png", "training_tokens_per_round.pdf"})
    EXPECT_TRUE(std::filesystem::exists(training + "/figures/" + figure)) << figure;
  EXPECT_GT(loss.size(), 1000u);
}

TEST(ProgramTrainingReport, DrawsSeveralTogether) {
  const std::string folder = fresh_report_folder("trainings");
  const Outcome report =
      run_program(std::string("report ") + kFeature + " " + kMlp + " --output " + folder + " 2>&1");
  ASSERT_EQ(report.code, 0) << report.output;
  EXPECT_TRUE(std::filesystem::exists(folder + "/training_loss.svg"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/training_tokens_per_round.svg"));
}

const std::string kTrainings = SPECLAB_SOURCE_DIR "/tests/golden/runs/trainings";

using TableAndManifest = std::pair<std::string, std::string>;

/// Curves that are drawn together, and where their figures stand among the golden ones.
struct DrawnTogether {
  std::vector<TableAndManifest> curves;
  const char* options;
  const char* part;
};

const std::vector<DrawnTogether> kDrawnTogether{
    {{{"prose_3", "stage_1"}, {"prose_3_stage_2", "stage_2"}}, " --stages", "trainings/stages"},
    {{{"prose_3", "stage_1"}, {"prose_8", "stage_1"}}, "", "trainings/heads"},
    {{{"closed_world_3m", "closed_world"}, {"closed_world_10m", "closed_world"}},
     "",
     "trainings/closed_world"}};

/// Draws frozen curves. @param tools  before the command
/// @return the folder of the figures
std::string draw_again(const DrawnTogether& drawn, const std::string& tools) {
  const std::string scratch = fresh_report_folder("drawn_again");
  std::string command = tools + SPECLAB_PROGRAM + " report";
  for (const auto& [table, manifest] : drawn.curves) {
    copy_training(kTrainings + "/" + table + ".csv", kTrainings + "/" + manifest + ".json",
                  scratch + "/" + table);
    command += " " + scratch + "/" + table;
  }
  const Outcome report =
      testing::run_shell(command + drawn.options + " --output " + scratch + "/figures 2>&1");
  EXPECT_EQ(report.code, 0) << report.output;
  return scratch + "/figures";
}

/// Defect: a curve shows other numbers than it did, as stages of one training or side by side.
TEST(FiguresOfTrainings, HaveTheSameMarks) {
  for (const DrawnTogether& drawn : kDrawnTogether)
    testing::expect_golden_marks(drawn.part, draw_again(drawn, testing::kMarksOnly));
}

/// Defect: a curve of the same numbers is drawn otherwise than it was.
TEST(GoldenTrainings, AreDrawnAgainAsStagesAndSideBySide) {
  if (const std::string others = testing::other_drawing_tools(); !others.empty())
    GTEST_SKIP() << others;
  for (const DrawnTogether& drawn : kDrawnTogether)
    testing::expect_golden_figures(drawn.part, draw_again(drawn, ""));
}

TEST(ProgramTrainingReport, DrawsAFolderWhateverItsName) {
  const std::string folder = fresh_report_folder("quotes"), training = folder + "/'quoted'\x1b[31m";
  copy_training(kMlp, training);
  const Outcome report = run_program("report \"" + training + "\" 2>&1");
  ASSERT_EQ(report.code, 0) << report.output;
  EXPECT_EQ(report.output.find('\x1b'), std::string::npos) << "a terminal would obey it";
  EXPECT_TRUE(std::filesystem::exists(training + "/figures/training_tokens_per_round.svg"));
}

TEST(ProgramTrainingReport, DrawsNoCurveOfUnknownOrigin) {
  const std::string folder = fresh_report_folder("unknown_origin");
  copy_training(kMlp, folder);
  std::filesystem::remove(folder + "/manifest.json");
  expect_refusal("report " + folder, 3,
                 "manifest.json: is not a file; a curve of unknown origin is not drawn");
  EXPECT_FALSE(std::filesystem::exists(folder + "/figures"));
}

TEST(ProgramTrainingReport, TellsTheEndsOfSeveralWithoutFigures) {
  const Outcome report =
      run_program(std::string("report --no-static-figures ") + kFeature + " " + kMlp + " 2>&1");
  EXPECT_EQ(report.code, 0) << report.output;
  EXPECT_NE(report.output.find("smollm2-feature: after "), std::string::npos) << report.output;
}

TEST(ProgramTrainingReport, RefusesWhatItCannotDraw) {
  const std::string run = SPECLAB_SOURCE_DIR "/tests/golden/runs/drafter_acceptance";
  expect_refusal(std::string("report ") + kFeature + " " + kMlp, 2, "give --output");
  expect_refusal(std::string("report ") + kFeature + " " + kFeature + "/ --output x", 2,
                 "is given twice");
  expect_refusal(std::string("report ") + kFeature + " " + run + " --output x", 2,
                 "has no training.csv");
  expect_refusal("report " + run + " --stages", 2, "--stages is for trainings");
  expect_refusal(std::string("report ") + kFeature + " --stages", 2, "--stages with one folder");
  expect_refusal(std::string("report ") + kFeature + " " + kMlp + " --stages --output " +
                     fresh_report_folder("no_stages"),
                 2, "allowed: stages of one drafter");
  expect_refusal("report " + fresh_report_folder("nothing"), 2, "is not there");
  const std::string empty = fresh_report_folder("empty");
  std::filesystem::create_directories(empty);
  expect_refusal("report " + empty, 3,
                 "neither a run (manifest.toml, journal) nor a finished training (training.csv)");
  write_file(empty + "/checkpoint.bin", "");
  expect_refusal("report " + empty, 3, "of a training that has not ended");
}

}  // namespace
}  // namespace speclab
