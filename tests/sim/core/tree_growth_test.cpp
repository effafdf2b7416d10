#include "sim/core/tree_growth.h"

#include <gtest/gtest.h>

#include "sim/core/errors.h"

namespace speclab {
namespace {

TEST(TreeGrowth, IsAShapeOrGrown) {
  EXPECT_EQ(TreeGrowth::parse("2x2x1", 0).shape.parents(), TreeShape::parse("2x2x1", 0).parents());
  EXPECT_FALSE(TreeGrowth::parse("chain", 4).is_grown());
  EXPECT_EQ(TreeGrowth::parse("chain", 4).max_nodes(), 4);
  const TreeGrowth best = TreeGrowth::parse("best_first:16", 0), beam = TreeGrowth::parse("beam:60:10", 0);
  EXPECT_EQ(best.kind, TreeGrowth::Kind::best_first);
  EXPECT_EQ(best.max_nodes(), 16);
  EXPECT_EQ(best.children, 5);
  EXPECT_EQ(beam.kind, TreeGrowth::Kind::beam);
  EXPECT_EQ(beam.nodes, 60);
  EXPECT_EQ(beam.children, 10);
  EXPECT_EQ(TreeGrowth::parse("beam:3", 0).children, 3) << "no more children than nodes";
}

TEST(TreeGrowth, CountsTheNodesOfItsLevels) {
  EXPECT_EQ(TreeGrowth::parse("2x2x1", 0).nodes_to_depth(0), 0);
  EXPECT_EQ(TreeGrowth::parse("2x2x1", 0).nodes_to_depth(2), 6);
  EXPECT_EQ(TreeGrowth::parse("2x2x1", 0).nodes_to_depth(9), 10);
  EXPECT_EQ(TreeGrowth::parse("best_first:16:3", 0).nodes_to_depth(1), 3);
  EXPECT_EQ(TreeGrowth::parse("best_first:16:3", 0).nodes_to_depth(2), 12);
  EXPECT_EQ(TreeGrowth::parse("best_first:16:3", 0).nodes_to_depth(4095), 16);
  for (const auto& [depth, nodes] : {std::pair(1, 3), {2, 12}, {3, 21}, {4, 30}, {9, 60}}) EXPECT_EQ(TreeGrowth::parse("beam:60:3", 0).nodes_to_depth(depth), nodes) << depth;
  EXPECT_EQ(TreeGrowth::parse("best_first:16:1", 0).nodes_to_depth(5), 5);
}

TEST(TreeGrowth, RefusesWhatItCannotGrow) {
  for (const char* text : {"best_first:", "best_first:0", "best_first:513", "best_first:-1", "best_first:8x", "best_first:8:", "best_first:8:9", "best_first:8:0", "beam:8:2:1",
                           "beam:99999999999"}) {
    try {
      TreeGrowth::parse(text, 4);
      ADD_FAILURE() << text;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("NODES from 1 to 512"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(TreeGrowth::parse("best_first", 4), ConfigError);
  EXPECT_THROW(TreeGrowth::parse("bush:3", 4), ConfigError);
}

}  // namespace
}  // namespace speclab
