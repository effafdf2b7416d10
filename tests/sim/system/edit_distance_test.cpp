#include "sim/system/edit_distance.h"

#include <gtest/gtest.h>

namespace speclab {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsAndReplacements) {
  EXPECT_EQ(edit_distance("drafter", "drafter"), 0u);
  EXPECT_EQ(edit_distance("drafters", "drafter"), 1u);
  EXPECT_EQ(edit_distance("dratfer", "drafter"), 2u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
}

}  // namespace
}  // namespace speclab
