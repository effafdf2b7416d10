// Two builds of one revision, which uncommitted changes make different, are told apart by the bytes
// of program and engines (SWP-7).

#include <filesystem>
#include <fstream>

#include "analysis/tables/manifest.h"
#include "sim/system/sha256.h"
#include "tests/experiments/drivers/support/same_files.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

using testing::Outcome;
using testing::run_shell;
using testing::SmallExperiment;

namespace fs = std::filesystem;

class ProgramDrift : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(experiment_.folder("build"));
    for (const char* file : {"speclab", "libspeclab_engines.so"})
      fs::copy(fs::path(SPECLAB_PROGRAM).parent_path() / file, experiment_.folder("build"));
  }
  /// More repetitions are more work of the same run.
  Outcome run(int repetitions, const std::string& more) const {
    return run_shell(experiment_.folder("build") + "/speclab run " + config_ +
                     " --no-report --set experiment.repetitions=" + std::to_string(repetitions) +
                     " --output " + experiment_.folder("run") + " " + more + " 2>&1");
  }
  /// Another build: a byte behind its end, which nothing reads.
  void change(const std::string& file) const {
    std::ofstream(experiment_.folder("build") + "/" + file, std::ios::app | std::ios::binary)
        << '\n';
  }

  const SmallExperiment experiment_{testing::memory_folder()};
  const std::string config_ = experiment_.config_file();
};

TEST_F(ProgramDrift, OfTheProgramOrItsEnginesIsNamedAndMayBeAllowed) {
  ASSERT_EQ(run(1, "").code, 0);
  const analysis::Manifest manifest =
      analysis::read_manifest(experiment_.folder("run") + "/manifest.toml");
  EXPECT_EQ(manifest.provenance("program_sha256"),
            sha256_file(experiment_.folder("build") + "/speclab"));
  EXPECT_EQ(manifest.provenance("engines_sha256"),
            sha256_file(experiment_.folder("build") + "/libspeclab_engines.so"));
  int repetitions = 1;
  for (const auto& [file, key] : {std::pair("speclab", "program_sha256"),
                                  std::pair("libspeclab_engines.so", "engines_sha256")}) {
    change(file);
    const Outcome refused = run(++repetitions, "");
    EXPECT_EQ(refused.code, 5) << refused.output;
    EXPECT_NE(refused.output.find(std::string("\n  ") + key + ": was "), std::string::npos)
        << refused.output;
    EXPECT_EQ(refused.output.find("revision: was"), std::string::npos) << refused.output;
    const Outcome allowed = run(repetitions, "--allow-mixed");
    EXPECT_EQ(allowed.code, 0) << allowed.output;
    EXPECT_NE(experiment_.file("run", "manifest.toml").find(key + std::string(": was ")),
              std::string::npos)
        << "sections say what they are from";
  }
  EXPECT_EQ(run(++repetitions, "").code, 0) << "the build is the one that went on last";
}

}  // namespace
}  // namespace speclab
