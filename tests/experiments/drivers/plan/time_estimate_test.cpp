#include "experiments/drivers/plan/time_estimate.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/tables/run_folder.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

std::string told(const Plan& plan, const PaceSources& sources) {
  return time_estimate_text(find_estimate(plan, sources));
}

constexpr const char* kNotKnown =
    "time: not known; --times-from RUN estimates it from an earlier run's folder\n";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(TimeEstimate, OfTheSamePlanIsWhatItTookAndMorePromptsTakeMore) {
  const testing::SmallExperiment experiment;
  const Plan plan = experiment.plan(), twice = experiment.plan({"experiment.repetitions=2"});
  experiment.run(plan, "base");
  double ns = 0, tokens = 0;
  for (const auto& generation : analysis::read_run(experiment.folder("base")).generations)
    ns += static_cast<double>(generation.walltime_ns()),
        tokens += static_cast<double>(generation.output_tokens);
  const TimeEstimate estimate = estimate_time(plan, experiment.folder("base"));
  EXPECT_EQ(estimate.unknown_cells, 0u);
  ASSERT_EQ(tokens, static_cast<double>(plan.generations.size()) * plan.config.prompts.new_tokens);
  const double all_tokens =
      tokens + static_cast<double>(plan.pilots.size()) * plan.config.prompts.new_tokens;
  EXPECT_GT(estimate.seconds, ns * 1e-9);
  EXPECT_LT(estimate.seconds, 3 * ns * 1e-9 * all_tokens / tokens);
  EXPECT_NEAR(estimate_time(twice, experiment.folder("base")).seconds - estimate.seconds, ns * 1e-9,
              1e-9 * ns * 1e-9);
}

TEST(TimeEstimate, SaysWhatItDoesNotKnow) {
  const testing::SmallExperiment experiment;
  experiment.run(experiment.plan({"axes.drafter=bigram"}), "base");
  EXPECT_EQ(
      estimate_time(experiment.plan({"axes.drafter=prompt_lookup"}), experiment.folder("base"))
          .unknown_cells,
      0u)
      << "the model's pace stands for a drafter that is new";
  const Plan other = experiment.plan({"target.model=other"});
  EXPECT_EQ(estimate_time(other, experiment.folder("base")).unknown_cells, other.cells.size());
  EXPECT_NE(told(other, {.times_from = experiment.folder("base")}).find("; not known for 6 cells"),
            std::string::npos);
  EXPECT_EQ(told(other, {}), kNotKnown);
  EXPECT_THROW(estimate_time(other, experiment.folder("nowhere")), DataError);
}

TEST(TimeEstimate, IsAtThePaceOfTheRunItselfWhereRowsWereMeasured) {
  const testing::SmallExperiment experiment;
  const Plan plan = experiment.plan();
  const std::string folder = experiment.folder("run");
  EXPECT_EQ(told(plan, {.run_folder = folder}), kNotKnown);
  experiment.run(plan, "run");
  EXPECT_TRUE(has(told(plan, {.run_folder = folder}),
                  "at the pace of " + folder + ", as far as it was measured"));
  EXPECT_TRUE(has(told(plan, {.times_from = folder, .run_folder = experiment.folder("nowhere")}),
                  "at the pace of " + folder + ", besides"));
  EXPECT_EQ(told(experiment.plan({"target.model=other"}), {.run_folder = folder}), kNotKnown);
  write_file(folder + "/rows.csv", "not rows\n");
  EXPECT_EQ(told(plan, {.run_folder = folder}), kNotKnown);
}

TEST(TimeEstimate, IsElseAtThatOfTheReferenceThatSharesMost) {
  const testing::SmallExperiment experiment;
  const Plan plan = experiment.plan();
  const PaceSources sources{.run_folder = experiment.folder("run"),
                            .references = experiment.folder("reference")};
  experiment.run(experiment.plan({"axes.drafter=bigram"}), "reference/bigram_only");
  EXPECT_EQ(told(plan, sources), kNotKnown) << "it has not measured the tree";
  experiment.run(experiment.plan({"axes.temperature=0.7"}), "reference/a_cell_less");
  EXPECT_TRUE(
      has(told(plan, sources),
          "reference/a_cell_less, a run on a made-up machine (2 threads, float32), besides"));
  experiment.run(experiment.plan({"axes.temperature=[0.5, 0.7]"}), "reference/shares_cells");
  EXPECT_TRUE(has(told(plan, sources), "reference/shares_cells, a run on"));
  EXPECT_EQ(told(experiment.plan({"target.device=cuda"}), sources), kNotKnown)
      << "they ran on the CPU";
  experiment.run(plan, "run");
  EXPECT_TRUE(has(told(plan, sources), "at the pace of " + experiment.folder("run")))
      << "its own rows go before";
}

/// A folder of committed runs: cells in place of rows, below the folder of a question.
std::string committed(const testing::SmallExperiment& experiment, const std::string& run) {
  const std::string folder = experiment.folder("committed/question/" + run);
  std::filesystem::create_directories(folder);
  for (const char* file : {"manifest.toml", "cells.csv"})
    copy_file(SPECLAB_SOURCE_DIR "/tests/golden/runs/quickstart/" + std::string(file),
              folder + "/" + file);
  return folder;
}

/// Defect: only runs with rows are found, and committed runs have none.
TEST(TimeEstimate, ReadsTheCellsOfACommittedRunThatHasNoRows) {
  const testing::SmallExperiment experiment;
  const std::string run = SPECLAB_SOURCE_DIR "/tests/golden/runs/quickstart",
                    without_rows = committed(experiment, "without_rows");
  const Plan plan = make_plan(read_run_config(run + "/manifest.toml", {}));
  EXPECT_NEAR(estimate_time(plan, without_rows).seconds, estimate_time(plan, run).seconds, 1e-3);
  const std::string text = told(plan, {.references = experiment.folder("committed")});
  EXPECT_TRUE(has(text, "question/without_rows, a run on AMD EPYC")) << text;
}

/// Defect: `auto` takes the pace of an accelerator.
TEST(TimeEstimate, TakesNoRunOfAnAcceleratorForAuto) {
  const testing::SmallExperiment experiment;
  const std::string folder = committed(experiment, "on_a_device");
  const Plan plan = make_plan(read_run_config(folder + "/manifest.toml", {}));
  std::string manifest = read_file(folder + "/manifest.toml");
  manifest.replace(manifest.find("device = \"cpu\""), 14, "device = \"cuda\"");
  write_file(folder + "/manifest.toml", manifest);
  EXPECT_EQ(told(plan, {.references = experiment.folder("committed")}), kNotKnown);
}

}  // namespace
}  // namespace speclab::experiments
