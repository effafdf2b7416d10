// Trainings that are killed at random moments and begun again until they end: their own text, their weights and their curve are those of a training
// that nothing disturbed, bit for bit.

#include <filesystem>

#include "sim/core/files.h"
#include "tests/experiments/program/kills.h"
#include "tests/experiments/program/program.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab {
namespace {

using testing::Outcome;

struct Training {
  std::string name;
  std::string config;
  bool has_own_text;
  double longest_seconds;  ///< that it is left alone at first
};

void PrintTo(const Training& training, std::ostream* out) { *out << training.name; }

/// On text files, and on the default model's own text, which is generated first.
std::vector<Training> trainings() {
  const std::string root = SPECLAB_SOURCE_DIR;
  return {{"LanguageModel",
           "[text]\nfiles = [\"" + root + "/README.md\", \"" + root + "/results/README.md\"]\nheld_out_files = [\"" + root + "/experiments/configs/README.md\"]\nsequence_length = 64\nmax_sequences = 800\n"
           "[drafter]\nkind = \"language_model\"\nhidden_size = 32\nnum_layers = 1\nnum_heads = 1\nintermediate_size = 64\nbatch = 8\nepochs = 2\nvalidation_sequences = 16\n",
           false, 2.0},
          {"FeatureTransformer",
           "[target]\nmodel = \"smollm2-135m\"\n[own_text]\nprompts = \"" + root + "/experiments/prompts/train.toml\"\nnum_prompts = 16\nmax_new_tokens = 8\nbatch = 4\n"
           "[drafter]\nkind = \"feature_transformer\"\nintermediate_size = 32\ndraft_vocabulary = 128\nbatch = 2\nepochs = 2\nvalidation_sequences = 4\n",
           true, 8.0}};
}

class KilledTrainings : public ::testing::TestWithParam<Training> {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }

  Outcome train(const std::string& name, const std::string& wrapper) const {
    const std::string cache = GetParam().has_own_text ? " --set own_text.cache_file=" + path(name + ".text") : "";
    return testing::run_shell(wrapper + SPECLAB_PROGRAM " train " + path("config.toml") + cache + " --output " + path(name) + " 2>&1");
  }

  void train_undisturbed() const {
    write_file(path("config.toml"), GetParam().config);
    const Outcome outcome = train("whole", "");
    ASSERT_EQ(outcome.code, 0) << outcome.output;
  }

  std::string result(const std::string& name) const {
    return (GetParam().has_own_text ? read_file(path(name + ".text")) : "") + read_file(path(name) + "/model.safetensors") + read_file(path(name) + "/training.csv");
  }

  const testing::TemporaryFolder folder_;
};

TEST_P(KilledTrainings, EndWithTheSameBits) {
  train_undisturbed();
  std::mt19937 random(5);
  int signals = 0;
  for (int i = 0; signals < 12 && !HasFailure(); ++i) {
    const std::string name = fmt::format("run{}", i);
    signals += testing::run_to_the_end([&](const std::string& wrapper) { return train(name, wrapper); }, i % 2 == 0 ? testing::kKill : testing::kInterrupt, GetParam().longest_seconds, random);
    EXPECT_TRUE(result(name) == result("whole")) << name;
    EXPECT_FALSE(std::filesystem::exists(path(name) + "/checkpoint.bin"));
  }
  fmt::print("{}: {} signals\n", GetParam().name, signals);
}

/// No file may grow beyond 100 KiB, less than own text or a checkpoint takes.
TEST_P(KilledTrainings, LoseNothingToAFullDisk) {
  train_undisturbed();
  const Outcome full = train("full", "ulimit -f 200; ");
  EXPECT_EQ(full.code, 8) << full.output;
  EXPECT_NE(full.output.find(path("full")), std::string::npos) << "the file that could not be written: " << full.output;
  EXPECT_FALSE(std::filesystem::exists(path("full") + "/model.safetensors"));
  const Outcome again = train("full", "");
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_TRUE(result("full") == result("whole"));
}

INSTANTIATE_TEST_SUITE_P(, KilledTrainings, ::testing::ValuesIn(trainings()), [](const auto& named) { return named.param.name; });

}  // namespace
}  // namespace speclab
