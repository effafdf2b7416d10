#include "experiments/drivers/compose/composed_speedups.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/tables/acceptance.h"
#include "analysis/tables/table.h"
#include "experiments/drivers/compose/machine_costs.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/experiments/drivers/predict/predict_files.h"

namespace speclab::experiments {
namespace {

/// A machine whose forwards cost the same at every context and number of rows, and drafts nothing.
std::string flat_machine(const std::string& name) {
  const std::string folder = ::testing::TempDir() + "/" + name;
  make_folder(folder);
  std::string costs = kCostHeader;
  for (const int rows : {1, 20})
    costs += "t,,,,,target," + std::to_string(rows) + ",10,1,1000,,,9\n";
  costs +=
      "t,,,,,prefill,10,0,1,1e-9,,,9\n"
      "t,,,,greedy,overhead,1,10,1,0,,,9\n"
      "t,d,chain,rejection,greedy,draft,6,10,1,0,,,9\n"
      "t,d,chain,rejection,greedy,overhead,2,10,1,0,,,9\n";
  write_file(folder + "/costs.csv", costs);
  return folder;
}

/// Three groups of texts whose every token is kept with chance 0.6.
std::string counts_file(int n_prompts) {
  std::vector<analysis::DrafterCounts> rows;
  for (const char* group : {"a", "b", "c"})
    for (int depth = 1; depth <= 3; ++depth) {
      const double reached = 1000 * std::pow(0.6, depth - 1);
      rows.push_back({.setting = {.drafter = "d", .tree = "chain"},
                      .category = group,
                      .depth = depth,
                      .n_prompts = n_prompts,
                      .positions = 1000,
                      .sums = {.drafts = 1000, .reached = reached, .accepted = 0.6 * reached}});
    }
  return file_with("counts.csv", analysis::drafter_counts_table().csv(rows));
}

PredictOptions flat_options(int n_prompts = 4) {
  return {.machine = flat_machine("flat"), .counts = counts_file(n_prompts), .new_tokens = 500};
}

std::string refusal(const PredictOptions& options) {
  try {
    composed_speedups(options);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

/// Defect: counts or costs enter twice or not at all.
TEST(ComposedSpeedups, OfFreeDraftsIsTheTokensOfARound) {
  PredictOptions options = flat_options();
  options.speculation_length = 4;
  const Composition composition = composed_speedups(options);
  ASSERT_EQ(composition.speedups.size(), 1U);
  const ComposedSpeedup& at = composition.speedups[0];
  EXPECT_NEAR(at.speedup.value, sim::tokens_per_round(0.6, 4), 0.03);
  EXPECT_NEAR(at.tokens_per_round, at.speedup.value, 1e-6) << "every round costs one forward";
  EXPECT_EQ(at.drafter, "d");
  EXPECT_EQ(composition.policy, "constant:4");
}

/// Defect: `auto` is another policy than that of decoders, or has no drafts as long as were timed.
TEST(ComposedSpeedups, TakesThePolicyAutoWhereNoLengthIsGiven) {
  const Composition composition = composed_speedups(flat_options());
  EXPECT_EQ(composition.policy, "auto");
  EXPECT_GT(composition.speedups[0].speedup.value, sim::tokens_per_round(0.6, 4));
  EXPECT_GT(composition.speedups[0].drafting_fraction, 0.9);
}

/// Defect: single texts have laws of their own, which fit their noise.
TEST(ComposedSpeedups, GroupsOfOneTextShareOneLawAndGiveAnInterval) {
  const analysis::Estimate shared = composed_speedups(flat_options(1)).speedups[0].speedup;
  const analysis::Estimate apart = composed_speedups(flat_options(4)).speedups[0].speedup;
  ASSERT_TRUE(shared.interval && apart.interval);
  EXPECT_NEAR(shared.value, apart.value, 1e-9) << "the groups are alike here";
  EXPECT_LE(shared.low(), shared.value);
  EXPECT_GE(shared.high(), shared.value);
}

/// Defect: a question that the files cannot answer gets an answer, or one without a way out.
TEST(ComposedSpeedups, RefuseWhatFilesDoNotHave) {
  PredictOptions options = flat_options();
  options.temperature = "0.7";
  EXPECT_NE(refusal(options).find("both are there for: 0"), std::string::npos) << refusal(options);
  options = flat_options();
  options.choice.drafter = "other";
  EXPECT_NE(refusal(options).find("it has: t with d"), std::string::npos) << refusal(options);
  options = flat_options();
  options.speculation_length = 7;
  EXPECT_NE(refusal(options).find("allowed: 1 to 6"), std::string::npos) << refusal(options);
  options = flat_options();
  options.acceptance_rate = "0.5";
  EXPECT_NE(refusal(options).find("--machine contradicts --acceptance-rate"), std::string::npos);
  options = flat_options();
  options.counts.reset();
  EXPECT_NE(refusal(options).find("--counts names"), std::string::npos) << refusal(options);
  options.machine = "no_such_machine";
  EXPECT_NE(refusal(options).find("measure one with"), std::string::npos) << refusal(options);
}

/// Defect: a term is lost, and the project's own drafters come out at another speed than measured.
TEST(ComposedSpeedups, LieNearThoseThatWereMeasured) {
  const std::string run = SPECLAB_SOURCE_DIR "/results/reference/walltime_vs_temperature_cpu";
  const analysis::Table measured = analysis::Table::read(run + "/cells_pooled.csv");
  const Composition composition =
      composed_speedups({.machine = run, .prompt_tokens = 161, .new_tokens = 96});
  ASSERT_EQ(composition.speedups.size(), 15U) << "five drafters at three temperatures";
  for (const ComposedSpeedup& at : composition.speedups)
    for (std::size_t row = 0; row < measured.size(); ++row) {
      if (measured.text(row, "drafter") != at.drafter ||
          measured.number(row, "temperature") != at.temperature)
        continue;
      EXPECT_NEAR(at.speedup.value, measured.number(row, "speedup"), 0.19)
          << at.drafter << " at " << at.temperature;
      EXPECT_LE(at.speedup.low(), measured.number(row, "speedup")) << at.drafter;
      EXPECT_GE(at.speedup.high(), measured.number(row, "speedup")) << at.drafter;
    }
}

/// Works in a folder of its own, where machines are kept.
class KeptMachine : public ::testing::Test {
 protected:
  KeptMachine() : before_(std::filesystem::current_path()) {
    const std::string folder = ::testing::TempDir() + "/kept_machine";
    std::filesystem::remove_all(folder);
    make_folder(folder + "/run");
    std::filesystem::current_path(folder);
    write_file("run/costs.csv", "first");
    write_file("run/manifest.toml", "[experiment]\n");
  }
  ~KeptMachine() override { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_;
};

/// Defect: new costs overwrite older ones, or the same costs become a version again.
TEST_F(KeptMachine, GetsAVersionForNewCosts) {
  EXPECT_EQ(keep_machine_costs("run", "desk"), "results/machines/desk/v1");
  EXPECT_EQ(keep_machine_costs("run", "desk"), "results/machines/desk/v1");
  write_file("run/costs.csv", "second");
  EXPECT_EQ(keep_machine_costs("run", "desk"), "results/machines/desk/v2");
  EXPECT_EQ(read_file("results/machines/desk/v1/costs.csv"), "first");
  EXPECT_EQ(machine_folder("desk"), "results/machines/desk/v2");
  EXPECT_EQ(machine_folder("desk/v1"), "results/machines/desk/v1");
}

/// Defect: a name leaves the folder of machines, or an older version is half-written.
TEST_F(KeptMachine, RefusesNamesOfOtherFolders) {
  for (const char* name : {"", ".", "..", "a/b", "../x", "-x", "a b", "\xff"})
    EXPECT_THROW(keep_machine_costs("run", name), ConfigError) << name;
}

}  // namespace
}  // namespace speclab::experiments
