#include "experiments/drivers/plan/time_estimate.h"

#include <gtest/gtest.h>

#include "analysis/io/run_folder.h"
#include "sim/core/errors.h"
#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

TEST(TimeEstimate, OfTheSamePlanIsWhatItTookAndMorePromptsTakeMore) {
  const testing::SmallExperiment experiment;
  const Plan plan = experiment.plan(), twice = experiment.plan({"experiment.repetitions=2"});
  experiment.run(plan, "base");
  double ns = 0, tokens = 0;
  for (const auto& generation : analysis::read_run(experiment.folder("base")).generations) ns += static_cast<double>(generation.walltime_ns()), tokens += static_cast<double>(generation.output_tokens);
  const TimeEstimate estimate = estimate_time(plan, experiment.folder("base"));
  EXPECT_EQ(estimate.unknown_cells, 0u);
  ASSERT_EQ(tokens, static_cast<double>(plan.generations.size()) * plan.config.prompts.new_tokens);
  const double all_tokens = tokens + static_cast<double>(plan.pilots.size()) * plan.config.prompts.new_tokens;
  EXPECT_GT(estimate.seconds, ns * 1e-9);
  EXPECT_LT(estimate.seconds, 3 * ns * 1e-9 * all_tokens / tokens);
  EXPECT_NEAR(estimate_time(twice, experiment.folder("base")).seconds - estimate.seconds, ns * 1e-9, 1e-9 * ns * 1e-9);
}

TEST(TimeEstimate, SaysWhatItDoesNotKnow) {
  const testing::SmallExperiment experiment;
  experiment.run(experiment.plan({"axes.drafter=bigram"}), "base");
  EXPECT_EQ(estimate_time(experiment.plan({"axes.drafter=prompt_lookup"}), experiment.folder("base")).unknown_cells, 0u) << "the model's pace stands for a drafter that is new";
  const Plan other = experiment.plan({"target.model=other"});
  EXPECT_EQ(estimate_time(other, experiment.folder("base")).unknown_cells, other.cells.size());
  EXPECT_NE(time_estimate_text(other, experiment.folder("base")).find("; not known for 6 cells"), std::string::npos);
  EXPECT_EQ(time_estimate_text(other, ""), "time: not known; --times-from RUN estimates it from an earlier run's folder\n");
  EXPECT_THROW(estimate_time(other, experiment.folder("nowhere")), DataError);
}

}  // namespace
}  // namespace speclab::experiments
