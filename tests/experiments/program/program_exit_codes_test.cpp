// The exit codes of results/TABLES.md, each as the program gives it (5 to 7, 9 to 12, 130 and 143
// belong to tests of their commands).

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/program/program.h"
#include "tests/support/address_limit.h"

namespace speclab {
namespace {

using testing::expect_refusal;
using testing::Outcome;
using testing::run_program;
using testing::run_shell;

constexpr const char* kConfig = SPECLAB_SOURCE_DIR "/experiments/configs/quickstart.toml";

/// The rows of the table in results/TABLES.md, cells two by two.
std::string code_table() {
  const std::string page = read_file(SPECLAB_SOURCE_DIR "/results/TABLES.md");
  return page.substr(page.find("## Exit codes of all programs"));
}

TEST(ExitCodes, EveryOneIsInTheTable) {
  const std::string table = code_table();
  for (int code = 0; code <= 12; ++code)
    EXPECT_NE(table.find("| " + std::to_string(code) + " | "), std::string::npos) << code;
  EXPECT_NE(table.find("| 130, 143 | "), std::string::npos);
}

TEST(ExitCodes, ZeroIsSuccess) {
  EXPECT_EQ(run_program("config axes.tree").code, 0);
  EXPECT_EQ(run_program(std::string("run --dry-run ") + kConfig).code, 0);
}

TEST(ExitCodes, OneIsAnErrorWithin) {
  SPECLAB_NEEDS_AN_ADDRESS_LIMIT();
  const testing::TemporaryFolder folder;
  const std::string big = folder.file("big.toml", "");
  const Outcome outcome =
      run_shell("truncate -s 1000M " + big +
                " && ulimit -v 600000 && " SPECLAB_PROGRAM " run --dry-run " + big + " 2>&1");
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_NE(outcome.output.find("speclab: "), std::string::npos) << outcome.output;
}

/// Defect: structs of an engines library of another build are read as if they were this one's.
TEST(ExitCodes, OneIsAnEnginesLibraryOfAnotherBuild) {
  const Outcome outcome = run_shell(SPECLAB_OTHER_PROGRAM " models 2>&1");
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_NE(outcome.output.find("libspeclab_engines.so belongs to another build; build both again"),
            std::string::npos)
      << outcome.output;
}

TEST(ExitCodes, TwoIsAConfigAndNothingIsMadeBeforeItIsChecked) {
  const testing::TemporaryFolder folder;
  const std::string config =
      folder.file("bad.toml", "[axes]\ntemperature = -1\n[sampling]\ntop_k = -1\n");
  const Outcome outcome = run_shell("cd " + folder.path() + " && HOME=" + folder.path("home") +
                                    " SPECLAB_CACHE=" + folder.path("cache") +
                                    " " SPECLAB_PROGRAM " run bad.toml --output out 2>&1");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.output,
            "speclab: bad.toml:2:15: axes.temperature = -1; allowed: numbers from 0 to 100\n  "
            "temperature = -1\n                ^\n"
            "bad.toml:4:9: sampling.top_k = -1; allowed: integers from 0 to 2147483647\n  top_k = "
            "-1\n          ^\n");
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
    files += entry.path() == config ? 0 : 1;
  EXPECT_EQ(files, 0);
}

double processor_ms_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return 1e3 * static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-3 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/// A hundred mistakes, a list of ten thousand numbers. The shell's own time is in it.
TEST(ExitCodes, TwoComesWithinATenthOfASecond) {
  const testing::TemporaryFolder folder;
  std::string config = "[axes]\ntemperature = [";
  for (int i = 0; i < 10'000; ++i) config += std::to_string(i) + ", ";
  config += "]\n[sampling]\n";
  for (int i = 0; i < 100; ++i) config += "key_" + std::to_string(i) + " = 1\n";
  const std::string path = folder.file("bad.toml", config);
  double least = 1e9;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const double before = processor_ms_of_children();
    EXPECT_EQ(run_program("run " + path + " 2>/dev/null").code, 2);
    least = std::min(least, processor_ms_of_children() - before);
  }
  EXPECT_LE(least, 100);
}

TEST(ExitCodes, TwoIsASweepThatIsLargerThanOneMeans) {
  const testing::TemporaryFolder folder;
  const std::string run = std::string("run ") + kConfig +
                          " --set experiment.repetitions=200 --output " + folder.path("out");
  expect_refusal(run, 2, " generations; allowed without --yes: at most 10000");
  EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
  EXPECT_EQ(run_program(run + " --dry-run >/dev/null").code, 0);
}

TEST(ExitCodes, TwoIsACommandThatIsNone) {
  expect_refusal("", 2, "a command is needed; allowed: generate, ");
  expect_refusal("measure", 2, "no command 'measure'; allowed: generate, ");
}

TEST(ExitCodes, TwoIsAnOptionThatTheCommandDoesNotHaveAndTheNearestIsNamed) {
  expect_refusal("generate --prompt x --temprature 1", 2, "did you mean --temperature?");
  for (const char* option : {"--arithmetic fast", "--arithmetic=row_invariant"})
    expect_refusal(std::string("generate --prompt x ") + option, 2,
                   "rows never depend on their number; remove --arithmetic");
  expect_refusal(std::string("run ") + kConfig + " --dryrun=x", 2, "did you mean --dry-run?");
  EXPECT_EQ(run_program("generate --prompt x --zzzzzzzzzz 2>&1").output.find("did you mean"),
            std::string::npos);
}

TEST(ExitCodes, TwoIsAConfigOfAnotherCommand) {
  const std::string training = SPECLAB_SOURCE_DIR "/experiments/configs/train_smollm2_bigram.toml";
  expect_refusal("run " + training, 2, "is for another command; use speclab train " + training);
  expect_refusal(std::string("train ") + kConfig, 2,
                 std::string("is for another command; use speclab run ") + kConfig);
}

TEST(ExitCodes, TwoIsAnOptionThatWouldDoNothing) {
  expect_refusal(std::string("run ") + kConfig + " --times-from somewhere", 2,
                 "--times-from requires --dry-run");
}

TEST(ExitCodes, ThreeIsResultsThatAreDamaged) {
  const testing::TemporaryFolder folder;
  folder.file("rows.csv", "row_id\n");
  expect_refusal(std::string("run ") + kConfig + " --output " + folder.path(), 3, "rows.csv");
  expect_refusal(std::string("run --dry-run ") + kConfig + " --times-from " + folder.path(), 3,
                 folder.path());
}

TEST(ExitCodes, FourIsAFolderThatAnotherProcessHolds) {
  const testing::TemporaryFolder folder;
  folder.file("journal", "");
  const Outcome outcome = run_shell("flock " + folder.path("lock") + " " SPECLAB_PROGRAM " run " +
                                    kConfig + " --output " + folder.path() + " 2>&1");
  EXPECT_EQ(outcome.code, 4) << outcome.output;
}

TEST(ExitCodes, EightIsAnOutputThatCannotBeWritten) {
  EXPECT_EQ(run_program("config >/dev/full 2>/dev/null").code, 8);
  EXPECT_EQ(
      run_program("predict --acceptance-rate 0.9 --cost-ratio 0.1 >/dev/full 2>/dev/null").code, 8);
}

TEST(ProgramConfig, DescribesKeysAsTextAndJson) {
  const Outcome text = run_program("config --describe axes.temperature");
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.output.find(
                "axes.temperature = [0.0]\n    list of 0, or numbers from 0.001 to 100; an axis\n"),
            std::string::npos)
      << text.output;
  EXPECT_EQ(text.output.find("axes.tree"), std::string::npos);
  expect_refusal("config axis", 2, "no key begins with 'axis'");
  expect_refusal("config --json --markdown", 2, "--json");
  const Outcome help = run_program("run --help");
  EXPECT_NE(
      help.output.find("axes: temperature, drafter, tree, policy, verifier, weights, activations,"),
      std::string::npos)
      << help.output;
}

}  // namespace
}  // namespace speclab
