#include <gtest/gtest.h>

#include "sim/core/token_tree.h"
#include "sim/system/errors.h"

namespace speclab {
namespace {

using Parents = std::vector<int>;

TEST(TreeShape, ReadsEveryWrittenForm) {
  EXPECT_EQ(TreeShape::parse("chain", 3).parents(), (Parents{0, 1, 2}));
  EXPECT_EQ(TreeShape::parse("2", 7).parents(), (Parents{0, 1}));
  EXPECT_EQ(TreeShape::parse("2x2x1", 7).parents(), (Parents{0, 0, 1, 1, 2, 2, 3, 4, 5, 6}));
  EXPECT_EQ(TreeShape::parse("parents:0,0,1,1", 7).parents(), (Parents{0, 0, 1, 1}));
  EXPECT_EQ(TreeShape::parse("chain", 0).num_nodes(), 0);
}

TEST(TreeShape, CountsLevelsBelowTheRoot) {
  EXPECT_EQ(TreeShape::parse("chain", 0).depth(), 0);
  EXPECT_EQ(TreeShape::parse("2x2x1", 0).depth(), 3);
  EXPECT_EQ(TreeShape::parse("parents:0,0,1,3", 0).depth(), 3);
}

TEST(TreeShape, RefusesTheRestAndSaysWhatIsAllowed) {
  for (const char* text :
       {"", "0", "x", "2x", "2x0", "-1", "chains", "parents:", "parents:1", "parents:0,2,1",
        "parents:0,0,0,1,0", "1.5", "4096", "64x64x2", "2x2 ", "parents:0;0"})
    EXPECT_THROW(TreeShape::parse(text, 4), ConfigError) << text;
  EXPECT_THROW(TreeShape::parse("chain", -1), ConfigError);
  try {
    TreeShape::parse("2y2", 4);
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("2x2x1"), std::string::npos);
  }
}

}  // namespace
}  // namespace speclab
