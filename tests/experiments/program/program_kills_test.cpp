// Runs that are killed and stopped at random moments and gone on with until they end: of the built
// program with fake engines, or of the program that SPECLAB_KILLS_PROGRAM names on the default
// model. SPECLAB_KILLS says how often; a third as many are stopped.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "sim/system/files.h"
#include "tests/experiments/drivers/support/small_experiment.h"
#include "tests/experiments/program/kills.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

using testing::Outcome;
using testing::run_shell;
using testing::SmallExperiment;

// A fixed length: the policy auto weighs measured costs, so that undisturbed runs differ too.
constexpr const char* kDefaultModel = SPECLAB_SOURCE_DIR
    "/experiments/configs/quickstart.toml --set 'axes.temperature=[0.0, 1.0]' --set "
    "'axes.drafter=[\"none\", \"prompt_lookup\"]' --set 'prompts.categories=[\"extraction\"]'"
    " --set prompts.new_tokens=16 --set experiment.repetitions=8 --set "
    "'axes.policy=[\"constant:4\"]' --set costs.repetitions=1 --set 'costs.rows=[1, 5]' --set "
    "target.threads=1";

/// What is run, and how long it is left alone at most; that is behind the moment from which on
/// something is kept.
struct Subject {
  std::string command;
  double longest_seconds;
};

Subject subject(const SmallExperiment& experiment, int workers) {
  if (const char* program = std::getenv("SPECLAB_KILLS_PROGRAM"))
    return {std::string(program) + " run " + kDefaultModel, 9.0};
  return {"env SPECLAB_FAKE_MS=5 " SPECLAB_PROGRAM " run " + experiment.config_file(),
          workers == 0 ? 0.03 : 0.3};  // only workers take their time
}

int num_kills() {
  const char* number = std::getenv("SPECLAB_KILLS");
  return number ? std::stoi(number) : 40;
}

/// What a run must have byte by byte, however it came to its end.
std::string files_of(const std::string& folder) {
  std::string files;
  for (const char* name : {"/rows.csv", "/rounds.csv", "/texts.jsonl"})
    files += read_file(folder + name);
  return files;
}

/// By the number of workers; 0 is a run of one process.
class RandomKills : public ::testing::TestWithParam<int> {
 protected:
  Outcome run(const std::string& folder, const std::string& wrapper) {
    const std::string workers = GetParam() == 0 ? "" : fmt::format(" --workers {}", GetParam());
    return run_shell(fmt::format("{} {}{} --no-report --yes --output {} 2>&1", wrapper,
                                 subject_.command, workers, folder));
  }

  void expect_nothing_lost(const testing::Signal& signal, int wanted) {
    const std::string undisturbed = experiment_.folder("whole");
    ASSERT_EQ(run(undisturbed, "").code, 0);
    const std::string whole = files_of(undisturbed);
    int signals = 0, runs = 0;
    for (; signals < wanted && !HasFailure(); ++runs) {
      const std::string folder = experiment_.folder(fmt::format("run{}", runs));
      signals +=
          testing::run_to_the_end([&](const std::string& wrapper) { return run(folder, wrapper); },
                                  signal, subject_.longest_seconds, random_);
      EXPECT_TRUE(files_of(folder) == whole) << folder;
    }
    fmt::print("{}, {} workers: {} signals in {} runs\n", signal.name, GetParam(), signals, runs);
  }

  const SmallExperiment experiment_{testing::memory_folder()};
  const Subject subject_ = subject(experiment_, GetParam());
  std::mt19937 random_{static_cast<unsigned>(20 + GetParam())};
};

TEST_P(RandomKills, LoseNothing) { expect_nothing_lost(testing::kKill, num_kills() / 2); }

/// A stop that takes longer than five seconds ends with the code of a kill.
TEST_P(RandomKills, AStopEndsSoonAndLosesNothing) {
  if (GetParam() == 0)
    expect_nothing_lost(testing::kInterrupt, num_kills() / 6);
  else
    expect_nothing_lost(testing::kTerminate, num_kills() / 6);
}

INSTANTIATE_TEST_SUITE_P(Workers, RandomKills, ::testing::Values(0, 2));

}  // namespace
}  // namespace speclab
