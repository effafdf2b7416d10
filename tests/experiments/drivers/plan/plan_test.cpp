#include "experiments/drivers/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/system/errors.h"
#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

std::set<std::string> cell_ids(const Plan& plan) {
  std::set<std::string> ids;
  for (const Cell& cell : plan.cells) ids.insert(cell.id);
  return ids;
}

TEST(Plan, EveryCombinationIsACellAndPlainDecodingIsAlwaysThere) {
  const testing::SmallExperiment experiment;
  const Plan plan = experiment.plan();
  EXPECT_EQ(cell_ids(plan), (std::set<std::string>{"fake T=0 none", "fake T=0.5 none",
                                                   "fake T=0 bigram chain constant:3 rejection",
                                                   "fake T=0.5 bigram chain constant:3 rejection",
                                                   "fake T=0 tree 2x1 constant:3 rejection",
                                                   "fake T=0.5 tree 2x1 constant:3 rejection"}));
  EXPECT_EQ(plan.generations.size(), 6u * 4u);
  EXPECT_EQ(plan.pilots.size(), 2u * 2u * 2u);
}

TEST(Plan, TheTreeAxisIsForDraftersThatDrawTrees) {
  const testing::SmallExperiment experiment;
  const Plan plan =
      experiment.plan({R"(axes.drafter=["prompt_lookup", "small_transformer", "tree"])",
                       R"(axes.tree=["chain", "2x2"])", "axes.temperature=0.0"});
  const auto ids = cell_ids(plan);
  EXPECT_EQ(ids.size(), 5u);
  EXPECT_TRUE(ids.contains("fake T=0 small_transformer 2x2 constant:3 rejection"));
  EXPECT_FALSE(ids.contains("fake T=0 prompt_lookup 2x2 constant:3 rejection"));
}

TEST(Plan, SaysWhichDraftersTheTreeAxisDoesNotReach) {
  const testing::SmallExperiment experiment;
  const Plan plan =
      experiment.plan({R"(axes.drafter=["none", "prompt_lookup", "small_transformer", "tree"])",
                       R"(axes.tree="2x2")"});
  EXPECT_NE(tree_axis_note(plan).find("2x2 does not hold"), std::string::npos);
  EXPECT_NE(describe(plan).find(": prompt_lookup (chain), tree (2x1)\n"), std::string::npos)
      << describe(plan);
  EXPECT_EQ(tree_axis_note(experiment.plan()), "");
  EXPECT_EQ(tree_axis_note(
                experiment.plan({R"(axes.drafter="small_transformer")", R"(axes.tree="2x2")"})),
            "");
}

TEST(Plan, IdsDoNotDependOnOrderOrOnOtherValues) {
  const testing::SmallExperiment experiment;
  const auto ids = cell_ids(experiment.plan());
  EXPECT_EQ(cell_ids(experiment.plan(
                {"axes.temperature=[5e-1, 0]", R"(axes.drafter=["tree", "none", "bigram"])"})),
            ids);
  const auto more = cell_ids(experiment.plan({"axes.temperature=[0.0, 0.25, 0.5]"}));
  EXPECT_TRUE(std::ranges::includes(more, ids));
}

TEST(Plan, CategoriesAreCellsOfTheirOwnUnlessPooled) {
  const testing::SmallExperiment experiment;
  const Plan plan = experiment.plan(
      {"prompts.pool_categories=false", "axes.temperature=0.0", "axes.drafter=none"});
  EXPECT_EQ(cell_ids(plan), (std::set<std::string>{"fake T=0 none chat", "fake T=0 none sums"}));
  for (const PlannedGeneration& g : plan.generations)
    EXPECT_EQ(plan.cells[g.cell].category, plan.prompts[g.prompt].category);
}

TEST(Plan, WhatIsExcludedHasNoPilotsAndIsNoDraftingUnlessAShapeModelReplaysIt) {
  const testing::SmallExperiment experiment;
  const std::string config =
      experiment.config_file("[[exclude]]\ndrafter = \"tree\"\ntemperature = 0.5\n");
  const Plan plan = make_plan(read_run_config(config, {}));
  EXPECT_EQ(plan.cells.size(), 5u);
  EXPECT_EQ(plan.draftings.size(), 3u);
  EXPECT_EQ(plan.pilots.size(), 3u * 2u) << "settings times pilot prompts";
  const std::string whole = experiment.config_file("[[exclude]]\ndrafter = \"tree\"\n");
  EXPECT_EQ(make_plan(read_run_config(whole, {})).draftings.size(), 2u);
  const Plan shapes = make_plan(read_run_config(
      experiment.config_file("[[exclude]]\ndrafter = \"tree\"\ntemperature = 0.5\n"),
      {R"(target.model=["fake", "shape-15m"])"}));
  EXPECT_EQ(shapes.pilots.size(), 4u * 2u);
}

TEST(Plan, HasPilotsAsLongAsTheLongestDraftOfItsPolicies) {
  const testing::SmallExperiment experiment;
  const auto longest = [&](const std::string& policy) {
    return experiment.plan({"axes.drafter=bigram", "axes.policy=" + policy}).max_length();
  };
  EXPECT_EQ(longest("constant:2"), 4) << "pilot.max_length";
  EXPECT_EQ(longest("heuristic"), 4);
  EXPECT_EQ(longest("auto"), 4);
  EXPECT_EQ(longest("constant:9"), 9);
  EXPECT_EQ(longest("confidence:0.4:7"), 7);
  EXPECT_EQ(longest("tracking:0.1:6"), 6);
  EXPECT_EQ(longest("tracking"), 20);
}

TEST(Plan, ShapeModelsReplayAndHaveNoPilots) {
  const testing::SmallExperiment experiment;
  const Plan plan = experiment.plan({R"(target.model=["fake", "shape-15m"])"});
  EXPECT_EQ(plan.pilots.size(), 8u);
  for (const Cell& cell : plan.cells)
    EXPECT_EQ(cell.written().verifier, cell.is_plain()                ? ""
                                       : cell.setting.model == "fake" ? "rejection"
                                                                      : "replay");
  EXPECT_EQ(plan.real_model_of("shape-15m"), "fake");
}

/// Defect: pilots and costs of a drafter were measured with targets that it does not fit.
TEST(Plan, ADrafterMeetsTheModelsOfItsCellsAlone) {
  const testing::SmallExperiment experiment;
  const Plan plan = make_plan(read_run_config(
      experiment.config_file("[[exclude]]\nmodel = \"fake\"\ndrafter = \"bigram\"\n"
                             "[[exclude]]\nmodel = \"other\"\ndrafter = \"tree\"\n"),
      {R"(target.model=["fake", "other"])"}));
  for (const Pilot& pilot : plan.pilots)
    EXPECT_EQ(pilot.setting.drafter, pilot.setting.model == "fake" ? "tree" : "bigram");
  EXPECT_EQ(plan.pilots.size(), 8u);
  ASSERT_EQ(plan.draftings_of({.model = "other"}).size(), 2u);
  EXPECT_TRUE(plan.draftings_of({.model = "other"})[0].is_plain());
  EXPECT_EQ(plan.draftings_of({.model = "other"})[1].drafter, "bigram");
}

TEST(Plan, RivalsMeetTheSameChance) {
  const testing::SmallExperiment experiment;
  const Plan plan = experiment.plan({"experiment.repetitions=2"});
  std::set<std::uint32_t> ids;
  for (const PlannedGeneration& g : plan.generations) {
    EXPECT_EQ(plan.sequence_id(g), plan.sequence_id({0, g.prompt, g.repetition}));
    ids.insert(plan.sequence_id(g));
  }
  EXPECT_EQ(ids.size(), 4u * 2u);
  for (const Pilot& pilot : plan.pilots) EXPECT_FALSE(ids.contains(plan.pilot_sequence_id(pilot)));
}

TEST(Drafting, CountsTheRowsOfACutTree) {
  const Setting plain{.drafter = "none"};
  const Setting tree{.drafter = "small_transformer", .tree = "2x2x1"};
  EXPECT_EQ(rows_of_depth(tree, 8), (std::vector<int>{1, 3, 7, 11}));
  EXPECT_EQ(max_length(tree, 8), 3);
  EXPECT_EQ(rows_of_depth(tree, 2), (std::vector<int>{1, 3, 7}));
  const Setting grown{.drafter = "bigram", .tree = "best_first:7:2"};
  EXPECT_EQ(rows_of_depth(grown, 4), (std::vector<int>{1, 3, 7, 8, 8}));
  EXPECT_EQ(max_length(grown, 9), 7);
  const Setting suffixes{.drafter = "bigram", .tree = "suffixes:5:5x3x2"};
  EXPECT_EQ(rows_of_depth(suffixes, 8), (std::vector<int>{1, 6, 11, 16}));
  EXPECT_EQ(max_length(suffixes, 8), 3);
  EXPECT_FALSE(has_adaptive_tree(suffixes));
  const Setting adaptive{.drafter = "bigram", .tree = "best_first:adaptive"};
  EXPECT_TRUE(has_adaptive_tree(adaptive));
  EXPECT_FALSE(has_adaptive_tree(plain));
  const Setting chain{.drafter = "bigram", .tree = "chain"};
  EXPECT_EQ(rows_of_depth(chain, 3), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(max_length(plain, 8), 0);
}

TEST(Plan, RefusesMoreGenerationsThanFit) {
  const testing::SmallExperiment experiment;
  std::string temperatures = "axes.temperature={ from = 1.0, to = 99.0, steps = 900 }";
  EXPECT_THROW(experiment.plan({temperatures, "experiment.repetitions=10000"}), ConfigError);
}

TEST(Describe, ListsEveryCellThatRuns) {
  const testing::SmallExperiment experiment;
  const Plan plan = experiment.plan();
  const std::string text = describe(plan);
  for (const Cell& cell : plan.cells)
    EXPECT_NE(text.find("  " + cell.id + "\n"), std::string::npos);
  EXPECT_NE(text.find("24 generations"), std::string::npos) << text;
}

}  // namespace
}  // namespace speclab::experiments
