#include "analysis/gate/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace speclab::analysis {
namespace {

using enum GateVerdict;

TEST(GateVerdict, HasTheExitCodesOfTheTable) {
  EXPECT_EQ(static_cast<int>(exit_code(same)), 0);
  EXPECT_EQ(static_cast<int>(exit_code(fast)), 0);
  EXPECT_EQ(static_cast<int>(exit_code(slow)), 10);
  EXPECT_EQ(static_cast<int>(exit_code(ambiguous)), 11);
  EXPECT_EQ(static_cast<int>(exit_code(invalid)), 12);
}

TEST(GateVerdict, TheWorstOfTwoDecides) {
  const std::vector by_weight{same, fast, ambiguous, invalid, slow};
  for (std::size_t i = 0; i < by_weight.size(); ++i)
    for (std::size_t j = 0; j < by_weight.size(); ++j)
      EXPECT_EQ(worst(std::vector{by_weight[i], by_weight[j]}), by_weight[std::max(i, j)])
          << name(by_weight[i]) << " " << name(by_weight[j]);
}

TEST(GateVerdict, NothingComparedIsInvalid) { EXPECT_EQ(worst({}), invalid); }

}  // namespace
}  // namespace speclab::analysis
