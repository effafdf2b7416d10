#include "sim/core/tree_growth.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"

namespace speclab {
namespace {

TEST(TreeGrowth, IsAShapeOrGrown) {
  EXPECT_EQ(TreeGrowth::parse("2x2x1", 0).shape.parents(), TreeShape::parse("2x2x1", 0).parents());
  EXPECT_FALSE(TreeGrowth::parse("chain", 4).is_grown());
  EXPECT_EQ(TreeGrowth::parse("chain", 4).max_nodes(), 4);
  const TreeGrowth best = TreeGrowth::parse("best_first:16", 0),
                   beam = TreeGrowth::parse("beam:60:10", 0);
  EXPECT_EQ(best.kind, TreeGrowth::Kind::best_first);
  EXPECT_EQ(best.max_nodes(), 16);
  EXPECT_EQ(best.children, std::vector{5});
  EXPECT_EQ(beam.kind, TreeGrowth::Kind::beam);
  EXPECT_EQ(beam.nodes, 60);
  EXPECT_EQ(beam.children, std::vector{10});
  EXPECT_EQ(TreeGrowth::parse("beam:3", 0).children, std::vector{3})
      << "no more children than nodes";
}

TEST(TreeGrowth, HasChildrenALevelOfWhichTheLastHoldForAllDeeper) {
  const TreeGrowth growth = TreeGrowth::parse("best_first:30:5x3x2", 0);
  EXPECT_EQ(growth.nodes, 30);
  for (const auto& [level, children] : {std::pair(0, 5), {1, 3}, {2, 2}, {3, 2}, {9, 2}})
    EXPECT_EQ(growth.children_at(level), children) << level;
  EXPECT_EQ(growth.nodes_to_depth(1), 5);
  EXPECT_EQ(growth.nodes_to_depth(2), 20);
  EXPECT_EQ(growth.nodes_to_depth(3), 30);
  EXPECT_EQ(growth.max_depth(), 30);
}

TEST(TreeGrowth, CountsTheNodesOnTheWayToTheBestSuffixes) {
  const TreeGrowth five = TreeGrowth::parse("suffixes:5:5x3x2", 0),
                   all = TreeGrowth::parse("suffixes:30:5x3x2", 0);
  EXPECT_EQ(five.kind, TreeGrowth::Kind::suffixes);
  EXPECT_EQ(five.suffixes, 5);
  EXPECT_EQ(five.max_depth(), 3);
  EXPECT_EQ(five.max_nodes(), 15) << "where no two begin alike";
  EXPECT_EQ(five.nodes_before_choice, 50);
  EXPECT_EQ(five.nodes_to_depth(2), 10);
  EXPECT_EQ(five.nodes_to_depth(9), 15);
  EXPECT_EQ(all.max_nodes(), 50);
  EXPECT_EQ(TreeGrowth::parse("suffixes:6:3x1x2", 0).nodes_to_depth(2), 6);
}

TEST(TreeGrowth, IsAdaptiveWhereThePolicyCountsItsNodes) {
  EXPECT_FALSE(TreeGrowth::parse("best_first:16", 0).is_adaptive);
  for (const char* text :
       {"best_first:adaptive", "best_first:adaptive:5", "best_first:adaptive:5x3"}) {
    EXPECT_TRUE(TreeGrowth::parse(text, 0).is_adaptive) << text;
    EXPECT_EQ(TreeGrowth::parse(text, 0).max_nodes(), 64) << text;
    EXPECT_EQ(TreeGrowth::parse(text, 0).children_at(0), 5) << text;
  }
}

TEST(TreeGrowth, CountsTheNodesOfItsLevels) {
  EXPECT_EQ(TreeGrowth::parse("2x2x1", 0).nodes_to_depth(0), 0);
  EXPECT_EQ(TreeGrowth::parse("2x2x1", 0).nodes_to_depth(2), 6);
  EXPECT_EQ(TreeGrowth::parse("2x2x1", 0).nodes_to_depth(9), 10);
  EXPECT_EQ(TreeGrowth::parse("best_first:16:3", 0).nodes_to_depth(1), 3);
  EXPECT_EQ(TreeGrowth::parse("best_first:16:3", 0).nodes_to_depth(2), 12);
  EXPECT_EQ(TreeGrowth::parse("best_first:16:3", 0).nodes_to_depth(4095), 16);
  for (const auto& [depth, nodes] : {std::pair(1, 3), {2, 12}, {3, 21}, {4, 30}, {9, 60}})
    EXPECT_EQ(TreeGrowth::parse("beam:60:3", 0).nodes_to_depth(depth), nodes) << depth;
  EXPECT_EQ(TreeGrowth::parse("best_first:16:1", 0).nodes_to_depth(5), 5);
}

void expect_refusal(const char* text, const char* allowed) {
  try {
    TreeGrowth::parse(text, 4);
    ADD_FAILURE() << text;
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(allowed), std::string::npos) << error.what();
  }
}

TEST(TreeGrowth, RefusesWhatItCannotGrow) {
  for (const char* text :
       {"best_first:", "best_first:0", "best_first:513", "best_first:-1", "best_first:8x",
        "best_first:8:", "best_first:8:9", "best_first:8:0", "beam:8:2:1", "beam:99999999999",
        "beam:adaptive", "beam:8:3x2", "best_first:8:3x", "best_first:8:3x9", "best_first:8:3x0",
        "best_first:adaptiv", "best_first:adaptive:65"})
    expect_refusal(text, "NODES from 1 to 512");
  for (const char* text : {"suffixes:", "suffixes:5", "suffixes:5:", "suffixes:0:5x3x2",
                           "suffixes:31:5x3x2", "suffixes:5:5x3x", "suffixes:5:0x3",
                           "suffixes:5:5x3x2:1", "suffixes:5:8x8x8", "suffixes:2:512x1"})
    expect_refusal(text, "COUNT from 1");
  for (const char* text : {"best_first", "suffixes", "bush:3"})
    expect_refusal(text, "children per level");
}

}  // namespace
}  // namespace speclab
