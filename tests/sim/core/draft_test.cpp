#include "sim/core/draft.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"

namespace speclab {
namespace {

TEST(Draft, KeepsALawPerNodeWithChildren) {
  Draft draft;
  draft.reset(9, DrawKind::sampled);
  draft.law_for(0).assign_point_mass(10, 4);
  const auto child = draft.add(0, 4);
  draft.law_for(child).assign_point_mass(10, 5);
  draft.add(child, 5);
  EXPECT_EQ(draft.law_at(0).arg_max(), 4);
  EXPECT_EQ(draft.law_at(child).arg_max(), 5);
  EXPECT_EQ(draft.num_laws, 2);
  EXPECT_EQ(draft.law_of_node, (std::vector<std::int32_t>{0, 1, -1}));
}

TEST(Draft, ReusesItsStorageAfterAReset) {
  Draft draft;
  draft.reset(0, DrawKind::sampled);
  draft.law_for(0).assign_dense(100);
  const float* storage = draft.law_at(0).dense_values().data();
  draft.reset(1, DrawKind::arg_max);
  EXPECT_EQ(draft.num_laws, 0);
  EXPECT_EQ(draft.tree.size(), 1);
  EXPECT_EQ(draft.law_for(0).assign_dense(100).data(), storage);
}

TEST(Draft, RefusesNodesThatAreNotThere) {
  Draft draft;
  draft.reset(0, DrawKind::sampled);
  EXPECT_THROW(draft.law_for(1), ContractError);
  EXPECT_THROW(draft.law_at(0), ContractError);
  EXPECT_THROW(draft.add(1, 3), ContractError);
}

}  // namespace
}  // namespace speclab
