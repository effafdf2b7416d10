#include "analysis/tables/costs.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/analysis/support/synthetic_run.h"

namespace speclab::analysis {
namespace {

const std::string kHeader =
    "model,drafter,tree,verifier,regime,kind,rows,context,batch,ns,ns_low,ns_high,n\n";

std::vector<CostRow> read_cost_text(const std::string& lines) {
  const testing::ScratchFolder scratch;
  write_file(scratch.file("costs.csv"), kHeader + lines);
  return read_costs(scratch.file("costs.csv"));
}

TEST(Costs, AreReadWithTheirIntervals) {
  const auto costs = read_cost_text(
      "m,,,,,target,2,64,1,10,9,11,6\nm,bigram,chain,rejection,greedy,draft,4,0,1,5,,,3\n");
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[0].ns.interval->high, 11);
  EXPECT_EQ(costs[0].rows, 2);
  EXPECT_EQ(costs[1].setting.drafter, "bigram");
  EXPECT_FALSE(costs[1].ns.interval);
}

TEST(Costs, AreRefusedWhereTheyMakeNoSense) {
  for (const char* line : {"", "m,,,,,target,0,64,1,10,9,11,6\n", "m,,,,,target,1,-1,1,10,9,11,6\n",
                           "m,,,,,target,1,64,1,10,9,,6\n", "m,,,,,target,1,64,1,10,9,11,0\n",
                           "m,,,,,target,1,64,1,10,0,11,6\n"})
    EXPECT_THROW(read_cost_text(line), DataError) << line;
}

}  // namespace
}  // namespace speclab::analysis
