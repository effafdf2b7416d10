// Batches and keys of GenerationConfig as axes of a run, on fake engines.

#include <gtest/gtest.h>

#include <algorithm>
#include <ranges>

#include "analysis/stats/groups.h"
#include "analysis/tables/run_folder.h"
#include "experiments/drivers/measure/workbench.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/support/same_files.h"

namespace speclab::experiments {
namespace {

using analysis::Generation;
using testing::SmallExperiment;

const std::vector<std::string> kBatches{"axes.batch=[1,2]"},
    kBeams{"axes.drafter=[\"none\"]", "axes.generation=[\"num_beams=1\",\"num_beams=3\"]"};

std::vector<Generation> rows_where(const analysis::Run& run, auto test) {
  std::vector<Generation> rows;
  std::ranges::copy_if(run.generations, std::back_inserter(rows), test);
  return rows;
}

/// Defect: a sequence of a batch has no row, has that of its neighbour, or its batch is decoded
/// once for each of its rows.
TEST(WaysOfDecoding, EverySequenceOfABatchHasARow) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan(kBatches);
  experiment.run(plan, "run");
  const analysis::Run run = analysis::read_run(experiment.folder("run"));
  const auto in_batch = [](const Generation& g) { return g.axes.batch == 2; };
  const auto alone = [](const Generation& g) { return g.axes.batch == 1; };
  const std::vector<Generation> batched = rows_where(run, in_batch);
  ASSERT_EQ(batched.size(), rows_where(run, alone).size());
  for (const Generation& row : batched) {
    const auto same = rows_where(run, [&](const Generation& g) {
      return alone(g) && g.axes.drafter == row.axes.drafter &&
             g.axes.temperature == row.axes.temperature && g.prompt_id == row.prompt_id;
    });
    ASSERT_EQ(same.size(), 1u);
    EXPECT_EQ(same[0].output_hash, row.output_hash);
  }
}

/// Defect: prompts of one batch count as independent.
TEST(WaysOfDecoding, IntervalsAreOverBatches) {
  const SmallExperiment experiment;
  experiment.run(experiment.plan(kBatches), "run");
  const analysis::Run run = analysis::read_run(experiment.folder("run"));
  std::map<int, std::set<std::string>> clusters;
  for (const Generation& g : run.generations) clusters[g.axes.batch].insert(g.cluster());
  EXPECT_EQ(clusters[1].size(), 4u);
  EXPECT_EQ(clusters[2].size(), 2u);
}

/// Defect: a run that was stopped within a batch measures the batch's rows again, or never.
TEST(WaysOfDecoding, AStoppedRunGoesOnWithinABatch) {
  for (const std::vector<std::string>& settings : {kBatches, kBeams}) {
    const SmallExperiment experiment;
    const Plan plan = experiment.plan(settings);
    experiment.run(plan, "whole");
    int checks = 0, stops = 0;
    const auto stop = [&] {
      if (++checks > 100 * (stops + 1)) throw Error(ExitCode::interrupted, "stopped");
    };
    for (bool is_done = false; !is_done;) try {
        is_done = experiment.run(plan, "stopped", stop) != RunOutcome::was_complete;
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ExitCode::interrupted);
        ++stops;
        checks = 0;
      }
    EXPECT_GT(stops, 2);
    EXPECT_EQ(experiment.file("stopped", "rows.csv"), experiment.file("whole", "rows.csv"));
    EXPECT_EQ(experiment.num_measured("stopped"), plan.generations.size());
  }
}

/// Defect: the steps of a search are no rounds, are costed as one row, or have no prediction.
TEST(WaysOfDecoding, StepsOfASearchAreRounds) {
  const SmallExperiment experiment;
  experiment.run(experiment.plan(kBeams), "run");
  const analysis::Run run = analysis::read_run(experiment.folder("run"));
  for (const Generation& g : run.generations) {
    EXPECT_EQ(g.rounds, g.output_tokens);
    const std::int64_t rows = run.rounds[g.first_round + 1].rows;
    EXPECT_EQ(rows, g.axes.generation == "num_beams=3" ? 3 : 1);
    EXPECT_TRUE(run.predictions.at(g.cell_id).walltime_ns);
  }
}

/// Defect: a setting that no cell can have is found when it is measured.
TEST(WaysOfDecoding, SettingsThatContradictAreRefused) {
  const SmallExperiment experiment;
  const auto refusal = [&](const std::vector<std::string>& settings) -> std::string {
    try {
      experiment.plan(settings);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  const auto generation = [](const std::string& text) {
    return std::vector<std::string>{"axes.generation=[\"" + text + "\"]"};
  };
  for (const auto& [settings, word] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {generation("num_beems=4"), "did you mean num_beams"},
           {generation("num_beams=four"), "num_beams"},
           {generation("temperature=0.5"), "axes.temperature"},
           {generation("num_beams=2;num_beams=3"), "each key once"},
           {generation(""), "num_beams=1"},
           {generation("do_sample=true"), "draws nothing"},
           {{"axes.generation=[\"num_beams=2\"]", "axes.policy=[\"auto\"]"}, "constant:N"},
           {{"axes.generation=[\"num_beams=1\"]", "axes.batch=[2]"}, "one by one"},
           {{"axes.batch=[5]"}, "at most as many"},
           {{"axes.batch=[0]"}, "1 to 512"},
           {{"axes.weights=[\"int3\"]"}, "q8"},
           {{"axes.weights=[\"streamed\"]"}, "resident_bytes"}})
    EXPECT_NE(refusal(settings).find(word), std::string::npos)
        << settings[0] << ": " << refusal(settings);
}

/// Defect: two forms of the weights are one model, or a form is loaded that no cell has.
TEST(WaysOfDecoding, FormsOfTheWeightsAreLoadedApart) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan({"axes.weights=[\"q8\",\"bfloat16\"]"});
  const auto engines = experiment.open_engines()();
  const LoadedPlan loaded = load_plan(plan, *engines);
  EXPECT_EQ(loaded.models.size(), 2u);
  EXPECT_TRUE(loaded.models.contains("fake (q8)"));
  EXPECT_EQ(plan.config.model_options({.model = "fake", .weights = "q8"}).dtype, "q8");
  experiment.run(plan, "run");
  const analysis::Run run = analysis::read_run(experiment.folder("run"));
  const auto is_q8 = [](const Generation& g) { return g.axes.weights == "q8"; };
  EXPECT_EQ(2 * rows_where(run, is_q8).size(), run.generations.size());
}

}  // namespace
}  // namespace speclab::experiments
