// `speclab report` of trainings, as a user meets it.

#include <filesystem>

#include "sim/core/files.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

using testing::expect_refusal;
using testing::Outcome;
using testing::run_program;

constexpr const char* kFeature = SPECLAB_SOURCE_DIR "/results/models/smollm2-feature";
constexpr const char* kMlp = SPECLAB_SOURCE_DIR "/results/models/smollm2-mlp";

std::string fresh_folder(const std::string& name) {
  const std::string folder = ::testing::TempDir() + "/" + name;
  std::filesystem::remove_all(folder);
  return folder;
}

TEST(ProgramTrainingReport, DrawsEveryDraftedTokenOfOneTraining) {
  const std::string folder = fresh_folder("one_training"), training = folder + "/smollm2-mlp";
  std::filesystem::create_directories(training);
  std::filesystem::copy_file(std::string(kMlp) + "/training.csv", training + "/training.csv");
  const Outcome report = run_program("report " + training + " 2>&1");
  ASSERT_EQ(report.code, 0) << report.output;
  EXPECT_NE(report.output.find("smollm2-mlp: after "), std::string::npos) << report.output;
  EXPECT_NE(report.output.find("tokens a round with 3 drafts"), std::string::npos) << report.output;
  const std::string loss = read_file(training + "/figures/training_loss.svg");
  for (const char* figure : {"training_acceptance.png", "training_tokens_per_round.pdf"}) EXPECT_TRUE(std::filesystem::exists(training + "/figures/" + figure)) << figure;
  EXPECT_GT(loss.size(), 1000u);
}

TEST(ProgramTrainingReport, DrawsSeveralTogether) {
  const std::string folder = fresh_folder("trainings");
  const Outcome report = run_program(std::string("report ") + kFeature + " " + kMlp + " --output " + folder + " 2>&1");
  ASSERT_EQ(report.code, 0) << report.output;
  EXPECT_TRUE(std::filesystem::exists(folder + "/training_loss.svg"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/training_tokens_per_round.svg"));
}

TEST(ProgramTrainingReport, DrawsStagesAsOneTraining) {
  const std::string heads = SPECLAB_SOURCE_DIR "/results/reference/mlp_heads_cpu/", folder = fresh_folder("stages");
  for (const char* stage : {"prose_3", "prose_3_stage_2"}) {
    std::filesystem::create_directories(folder + "/" + stage);
    std::filesystem::copy_file(heads + stage + ".csv", folder + "/" + stage + "/training.csv");
  }
  const Outcome report = run_program("report " + folder + "/prose_3 " + folder + "/prose_3_stage_2 --stages --output " + folder + "/figures 2>&1");
  ASSERT_EQ(report.code, 0) << report.output;
  EXPECT_EQ(read_file(folder + "/figures/training_loss.svg"), read_file(heads + "prose_3/training_loss.svg"));
}

TEST(ProgramTrainingReport, DrawsAFolderWhateverItsName) {
  const std::string folder = fresh_folder("quotes"), training = folder + "/'quoted'\x1b[31m";
  std::filesystem::create_directories(training);
  std::filesystem::copy_file(std::string(kMlp) + "/training.csv", training + "/training.csv");
  const Outcome report = run_program("report \"" + training + "\" 2>&1");
  ASSERT_EQ(report.code, 0) << report.output;
  EXPECT_EQ(report.output.find('\x1b'), std::string::npos) << "a terminal would obey it";
  EXPECT_TRUE(std::filesystem::exists(training + "/figures/training_tokens_per_round.svg"));
}

TEST(ProgramTrainingReport, TellsTheEndsOfSeveralWithoutFigures) {
  const Outcome report = run_program(std::string("report --no-static-figures ") + kFeature + " " + kMlp + " 2>&1");
  EXPECT_EQ(report.code, 0) << report.output;
  EXPECT_NE(report.output.find("smollm2-feature: after "), std::string::npos) << report.output;
}

TEST(ProgramTrainingReport, RefusesWhatItCannotDraw) {
  const std::string run = SPECLAB_SOURCE_DIR "/results/reference/drafter_acceptance_cpu";
  expect_refusal(std::string("report ") + kFeature + " " + kMlp, 2, "give --output");
  expect_refusal(std::string("report ") + kFeature + " " + kFeature + "/ --output x", 2, "is given twice");
  expect_refusal(std::string("report ") + kFeature + " " + run + " --output x", 2, "has no training.csv");
  expect_refusal("report " + run + " --stages", 2, "--stages is for trainings");
  expect_refusal(std::string("report ") + kFeature + " --stages", 2, "--stages with one folder");
  expect_refusal(std::string("report ") + kFeature + " " + kMlp + " --stages --output " + fresh_folder("no_stages"), 2, "allowed: stages of one drafter");
  expect_refusal("report " + run + " --output x", 2, "--output is for the figures of trainings");
  expect_refusal("report " + fresh_folder("nothing"), 2, "is not there");
}

}  // namespace
}  // namespace speclab
