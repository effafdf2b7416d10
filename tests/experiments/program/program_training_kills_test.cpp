// Trainings that are killed at random moments and begun again until they end: their own text, their
// weights and their curve are those of a training that nothing disturbed, bit for bit.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/program/kills.h"
#include "tests/experiments/program/program.h"
#include "tests/support/test_size.h"

namespace speclab {
namespace {

using testing::by_size;
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
  std::vector<Training> all;
  all.push_back(
      {"LanguageModel",
       "[text]\nfiles = [\"" + root +
           "/experiments/prompts/train_wide.toml\"]\nheld_out_files = [\"" + root +
           "/experiments/prompts/core/summarisation.toml\"]\nsequence_length = 64\nmax_sequences = "
           "800\n"
           "[drafter]\nkind = \"language_model\"\nhidden_size = 32\nnum_layers = 1\nnum_heads = "
           "1\nintermediate_size = 64\nbatch = 8\nepochs = 4\nvalidation_sequences = 16\n",
       false, 2.0});
#ifndef __SANITIZE_ADDRESS__  // the default model would take an hour
  if (by_size(true, false, false)) return all;
  all.push_back(
      {"FeatureTransformer",
       "[target]\nmodel = \"smollm2-135m\"\n[own_text]\nprompts = \"" + root +
           "/experiments/prompts/train.toml\"\nnum_prompts = 16\nmax_new_tokens = 8\nbatch = 4\n"
           "[drafter]\nkind = \"feature_transformer\"\nintermediate_size = 32\ndraft_vocabulary = "
           "128\nbatch = 2\nepochs = 2\nvalidation_sequences = 4\n",
       true, 8.0});
#endif
  return all;
}

/// The training that nothing disturbed: one for all tests.
struct Undisturbed {
  std::string first_report;  ///< how its first report of a step begins
  std::string text;          ///< its own text, empty where it has none
  std::string result;
};

class KilledTrainings : public ::testing::TestWithParam<Training> {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }

  Outcome train(const std::string& name, const std::string& wrapper) const {
    const std::string cache =
        GetParam().has_own_text ? " --set own_text.cache_file=" + path(name + ".text") : "";
    return testing::run_shell(wrapper + SPECLAB_PROGRAM " train " + path("config.toml") + cache +
                              " --overwrite --output " + path(name) + " 2>&1");
  }

  void SetUp() override { write_file(path("config.toml"), GetParam().config); }

  const Undisturbed& undisturbed() const {
    static std::map<std::string, Undisturbed> known;
    const auto [found, is_new] = known.try_emplace(GetParam().name);
    if (is_new) found->second = train_undisturbed();
    return found->second;
  }

  Undisturbed train_undisturbed() const {
    const Outcome outcome = train("whole", "");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    const std::size_t begin = outcome.output.find("\ntrain ");
    EXPECT_NE(begin, std::string::npos) << outcome.output;
    return {.first_report = outcome.output.substr(begin, outcome.output.find('%', begin) - begin),
            .text = GetParam().has_own_text ? read_file(path("whole.text")) : "",
            .result = result("whole")};
  }

  /// The disk is full at this file.
  void expect_full(const std::string& file) const {
    const Outcome full = train("full", "ulimit -f 200; ");
    EXPECT_EQ(full.code, 8) << full.output;
    EXPECT_NE(full.output.find(path(file)), std::string::npos) << full.output;
    EXPECT_FALSE(std::filesystem::exists(path("full") + "/v1/model.safetensors"));
  }

  std::string result(const std::string& name) const {
    return (GetParam().has_own_text ? read_file(path(name + ".text")) : "") +
           read_file(path(name) + "/v1/model.safetensors") +
           read_file(path(name) + "/v1/training.csv");
  }

  const testing::TemporaryFolder folder_;
};

/// A process that finds a checkpoint of a reported step does not report the first one again.
TEST_P(KilledTrainings, EndWithTheSameBits) {
  const std::string& first_report = undisturbed().first_report;
  std::mt19937 random(5);
  int num_resumed = 0;
  for (const testing::Signal& signal : {testing::kKill, testing::kInterrupt}) {
    int signals = 0;
    // On a slow machine the first signals may all come before there is a checkpoint.
    constexpr int kMostTrainings = 8;
    const auto is_enough = [&](int trainings) {
      return signals >= by_size(1, 2, 6) && (num_resumed > 0 || trainings >= kMostTrainings);
    };
    for (int i = 0; !is_enough(i) && !HasFailure(); ++i) {
      const std::string name = fmt::format("{}{}", signal.name, i);
      signals += testing::run_to_the_end(
          [&](const std::string& wrapper) {
            const bool resumes = std::filesystem::exists(path(name) + "/v1/checkpoint.bin");
            Outcome outcome = train(name, wrapper);
            if (resumes && signal.name == "KILL") {
              EXPECT_EQ(outcome.output.find(first_report), std::string::npos) << outcome.output;
            }
            num_resumed += resumes;
            return outcome;
          },
          signal, GetParam().longest_seconds, random, testing::stopping_after_its_work);
      EXPECT_TRUE(result(name) == undisturbed().result) << name;
      EXPECT_FALSE(std::filesystem::exists(path(name) + "/v1/checkpoint.bin"));
    }
    fmt::print("{}, {}: {} signals\n", GetParam().name, signal.name, signals);
  }
  EXPECT_GT(num_resumed, 0);
}

/// No file may grow beyond 100 KiB (dash counts blocks of 512 bytes), less than own text or a
/// checkpoint takes.
TEST_P(KilledTrainings, LoseNothingToAFullDisk) {
  if (GetParam().has_own_text) {
    expect_full("full.text");
    write_file(path("full.text"), undisturbed().text);
  }
  expect_full("full/v1/checkpoint.bin");
  const Outcome again = train("full", "");
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_TRUE(result("full") == undisturbed().result);
}

INSTANTIATE_TEST_SUITE_P(, KilledTrainings, ::testing::ValuesIn(trainings()),
                         [](const auto& named) { return named.param.name; });

}  // namespace
}  // namespace speclab
