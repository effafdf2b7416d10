#include "experiments/drivers/measure/second_decoding.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

TEST(ShownDrafts, AreThoseOfTheFirstPromptInEveryCellThatDrafts) {
  const testing::SmallExperiment experiment;
  experiment.run(experiment.plan(), "run");
  const analysis::Run run = analysis::read_run(experiment.folder("run"));
  std::set<std::string> cells;
  for (const analysis::DraftSample& sample :
       analysis::read_drafts(experiment.folder("run") + "/drafts.jsonl", run)) {
    const analysis::Generation& generation =
        run.generations[run.generation_of_row.at(sample.row_id)];
    EXPECT_EQ(generation.prompt_id, run.generations.front().prompt_id);
    EXPECT_EQ(sample.rounds.size(),
              std::min(kShownRounds, static_cast<std::size_t>(generation.rounds)));
    for (const analysis::DraftedRound& round : sample.rounds)
      for (std::size_t node = 1; node < round.nodes.size(); ++node) {
        EXPECT_EQ(round.nodes[node].target_probability, 0.5);
        EXPECT_EQ(round.nodes[node].draft_probability, 0.25);
      }
    cells.insert(generation.cell_id);
  }
  EXPECT_EQ(cells.size(), 4U) << "two drafters at two temperatures";
}

TEST(ShownDrafts, OfOtherTextsAreNotTheSame) {
  GenerationRecord measured;
  measured.output_ids = {1, 2, 3, 4};
  measured.rounds.assign(2, {.drafted = 2, .accepted = 1, .tested = 2, .emitted = 2});
  GenerationRecord again = measured;
  EXPECT_TRUE(is_same(measured, again));
  again.output_ids.resize(2), again.rounds.resize(1);
  EXPECT_TRUE(is_same(measured, again)) << "it ended early";
  EXPECT_FALSE(is_same(again, measured)) << "it went further";
  again.output_ids[1] = 7;
  EXPECT_FALSE(is_same(measured, again));
  again = measured, again.rounds[1].accepted = 0;
  EXPECT_FALSE(is_same(measured, again));
}

}  // namespace
}  // namespace speclab::experiments
