// Branches of a cache: beams that share what they have in common.

#include "tests/engines/search/branches.h"

#include "engines/models/row_plan.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

using testing::Branches;

/// Defect: a beam that reads another's cache, a slot that is used twice, or gaps that are never
/// filled, so that the cache runs over.
TEST_F(Branches, GiveTheLogitsOfTheirOwnTexts) { expect_own_texts(0.0f); }

TEST(BranchesOfAPlan, AreKeptOnceAndNotCommitted) {
  RowPlan plan(1, 16);
  const std::int32_t slot = plan.begin();
  const RowLimits limits{10, 100};
  plan.place(std::vector<ForwardRow>{{1, 0, slot}, {2, 0, slot}}, limits);
  plan.keep(slot, std::vector<std::int32_t>{0, 1});
  EXPECT_EQ(plan.length(slot), 0);
  EXPECT_THROW(plan.keep(slot, std::vector<std::int32_t>{0}), ContractError);
  EXPECT_THROW(plan.commit(slot, std::vector<std::int32_t>{}), ContractError);
  EXPECT_THROW(plan.place(std::vector<ForwardRow>{{3, 1, slot, ForwardRow::branch(2)}}, limits),
               ContractError);
  EXPECT_THROW(plan.place(std::vector<ForwardRow>{{3, 2, slot, ForwardRow::branch(0)}}, limits),
               ContractError)
      << "the branch holds one token";
}

}  // namespace
}  // namespace speclab::engines
