#include "engines/models/row_plan.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr std::int32_t kVocab = 10, kContext = 100, kCapacity = 8;
constexpr std::int32_t kCommitted = ForwardRow::kCommitted;

class RowPlanRules : public ::testing::Test {
 protected:
  void place(std::vector<ForwardRow> rows) { plan_.place(rows, {kVocab, kContext}); }
  std::vector<std::int32_t> extra(std::size_t row) const {
    const auto slots = plan_.extra(plan_.rows()[row]);
    return {slots.begin(), slots.end()};
  }
  void commit(std::vector<std::int32_t> rows) { plan_.commit(0, rows); }

  RowPlan plan_{2, kCapacity};
  std::int32_t slot_ = plan_.begin();
};

TEST_F(RowPlanRules, ChainSeesOnePrefix) {
  place({{1, 0, 0, kCommitted}, {2, 1, 0, 0}, {3, 2, 0, 1}});
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(plan_.rows()[i].slot, static_cast<std::int32_t>(i));
    EXPECT_EQ(plan_.rows()[i].prefix, static_cast<std::int32_t>(i) + 1);
    EXPECT_TRUE(extra(i).empty());
  }
}

TEST_F(RowPlanRules, BranchSeesItsAncestorsAndItselfOnly) {
  place({{1, 0, 0, kCommitted}});
  commit({0});
  place({{1, 1, 0, kCommitted}, {2, 2, 0, 0}, {3, 2, 0, 0}, {4, 3, 0, 2}, {5, 3, 0, 1}});
  EXPECT_EQ(plan_.rows()[1].prefix, 3);
  EXPECT_EQ(plan_.rows()[2].prefix, 2);
  EXPECT_EQ(extra(2), (std::vector<std::int32_t>{3}));
  EXPECT_EQ(plan_.rows()[3].prefix, 2);
  EXPECT_EQ(extra(3), (std::vector<std::int32_t>{3, 4}));
  EXPECT_EQ(plan_.rows()[4].prefix, 3);
  EXPECT_EQ(extra(4), (std::vector<std::int32_t>{5}));
}

TEST_F(RowPlanRules, RowsOfTwoSequencesMayAlternate) {
  plan_.begin();
  place({{1, 0, 0, kCommitted}, {1, 0, 1, kCommitted}, {2, 1, 0, 0}, {2, 1, 1, 1}});
  EXPECT_EQ(plan_.rows()[2].slot, 1);
  EXPECT_EQ(plan_.rows()[3].slot, 1);
  EXPECT_EQ(plan_.slots_in_use(0), 2);
  EXPECT_EQ(plan_.slots_in_use(1), 2);
}

TEST_F(RowPlanRules, CommitReturnsTheSlotsOfThePathAndForgetsTheRest) {
  place({{1, 0, 0, kCommitted}, {2, 1, 0, 0}, {3, 1, 0, 0}, {4, 2, 0, 2}});
  const std::vector<std::int32_t> path{0, 2, 3};
  const auto slots = plan_.commit(0, path);
  EXPECT_EQ(std::vector<std::int32_t>(slots.begin(), slots.end()),
            (std::vector<std::int32_t>{0, 2, 3}));
  EXPECT_EQ(plan_.length(0), 3);
  EXPECT_EQ(plan_.slots_in_use(0), 3);
}

TEST_F(RowPlanRules, RefuseWhatBreaksTheContractOfARow) {
  const std::vector<std::vector<ForwardRow>> wrong{
      {{kVocab, 0, 0, kCommitted}},    // token beyond the vocabulary
      {{-1, 0, 0, kCommitted}},        // negative token
      {{1, 1, 0, kCommitted}},         // a gap behind the committed tokens
      {{1, kContext, 0, kCommitted}},  // beyond the context
      {{1, -1, 0, kCommitted}},        // before the beginning
      {{1, 0, 1, kCommitted}},         // a slot that is not in use
      {{1, 0, 2, kCommitted}},         // a slot that is not there
      {{1, 0, -1, kCommitted}},
      {{1, 0, 0, kCommitted}, {2, 1, 0, 1}},   // its own parent
      {{1, 0, 0, kCommitted}, {2, 1, 0, 2}},   // a later parent
      {{1, 0, 0, kCommitted}, {2, 1, 0, -2}},  // no such parent
      {{1, 0, 0, kCommitted}, {2, 2, 0, 0}},   // position is not the parent's plus one
  };
  for (std::size_t i = 0; i < wrong.size(); ++i)
    EXPECT_THROW(place(wrong[i]), ContractError) << "case " << i;
}

TEST_F(RowPlanRules, RefuseAParentOfAnotherSequence) {
  plan_.begin();
  EXPECT_THROW(place({{1, 0, 0, kCommitted}, {2, 1, 1, 0}}), ContractError);
}

TEST_F(RowPlanRules, RefuseMoreRowsThanTheCacheHolds) {
  std::vector<ForwardRow> rows;
  for (std::int32_t i = 0; i < kCapacity; ++i) rows.push_back({1, i, 0, i - 1});
  place(rows);
  rows.push_back({1, kCapacity, 0, kCapacity - 1});
  EXPECT_THROW(place(rows), ContractError);
}

TEST_F(RowPlanRules, RefuseToCommitWhatIsNoPath) {
  const std::vector<ForwardRow> rows{
      {1, 0, 0, kCommitted}, {2, 1, 0, 0}, {3, 1, 0, 0}, {4, 2, 0, 1}};
  for (const std::vector<std::int32_t>& path : std::vector<std::vector<std::int32_t>>{
           {1}, {0, 3}, {0, 2, 3}, {0, 0}, {4}, {-1}, {0, 1, 2}}) {
    place(rows);
    EXPECT_THROW(commit(path), ContractError);
    EXPECT_EQ(plan_.length(0), 0);
  }
}

TEST_F(RowPlanRules, RefuseToCommitTwice) {
  place({{1, 0, 0, kCommitted}});
  commit({0});
  EXPECT_THROW(commit({0}), ContractError);
}

TEST_F(RowPlanRules, RefuseToCommitRowsThatWereNotPlacedWhole) {
  EXPECT_THROW(place({{1, 0, 0, kCommitted}, {kVocab, 1, 0, 0}}), ContractError);
  EXPECT_THROW(commit({0}), ContractError);
}

TEST_F(RowPlanRules, TruncationShortensAndForgetsPlacedRows) {
  place({{1, 0, 0, kCommitted}, {2, 1, 0, 0}});
  commit({0, 1});
  place({{3, 2, 0, kCommitted}});
  plan_.truncate(0, 1);
  EXPECT_EQ(plan_.length(0), 1);
  EXPECT_THROW(commit({0}), ContractError);
  EXPECT_THROW(plan_.truncate(0, 2), ContractError);
  EXPECT_THROW(plan_.truncate(0, -1), ContractError);
  place({{3, 1, 0, kCommitted}});
  EXPECT_EQ(plan_.rows()[0].slot, 1);
}

TEST_F(RowPlanRules, SlotsAreUsedAgainAfterRelease) {
  EXPECT_EQ(plan_.begin(), 1);
  EXPECT_THROW(plan_.begin(), ContractError);
  place({{1, 0, 0, kCommitted}});
  commit({0});
  plan_.release(0);
  EXPECT_THROW(plan_.release(0), ContractError);
  EXPECT_THROW(plan_.length(0), ContractError);
  EXPECT_EQ(plan_.begin(), 0);
  EXPECT_EQ(plan_.length(0), 0);
}

}  // namespace
}  // namespace speclab::engines
