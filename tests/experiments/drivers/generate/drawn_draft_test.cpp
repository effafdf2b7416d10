#include "experiments/drivers/generate/drawn_draft.h"

#include <gtest/gtest.h>

namespace speclab::experiments {
namespace {

const Law kTarget = Law::dense({0.1f, 0.2f, 0.3f, 0.4f});

/// Root 0 with children 1 and 2; 2 has the child 3.
Draft small_tree(DrawKind kind) {
  Draft draft;
  draft.reset(0, kind);
  draft.law_for(0) = Law::dense({0.0f, 0.25f, 0.75f, 0.0f});
  draft.add(0, 1);
  const TokenTree::Node second = draft.add(0, 2);
  draft.law_for(second) = Law::dense({0.0f, 0.0f, 0.5f, 0.5f});
  draft.add(second, 3);
  return draft;
}

RoundRecord record_of(int accepted, NextKind kind) {
  RoundRecord record;
  record.round = 7;
  record.drafted = 3;
  record.accepted = accepted;
  record.next_kind = kind;
  return record;
}

std::string drawn(DrawKind kind, int accepted, const std::vector<Token>& emitted,
                  NextKind next = NextKind::recovered) {
  const DrawnDraft drawing(nullptr, small_tree(kind),
                           [](TokenTree::Node) -> const Law& { return kTarget; });
  return text_of(drawing.round(record_of(accepted, next), emitted));
}

TEST(DrawnDraft, HasALineANodeWithBothProbabilities) {
  EXPECT_EQ(
      drawn(DrawKind::sampled, 1, {2, 1}),
      "round 8: 3 drafted, 1 accepted, then 1 (recovered)\n0\n"
      "├─ 1  q 0.250, p 0.200\n└─ 2  q 0.750, p 0.300  accepted\n   └─ 3  q 0.500, p 0.400\n");
}

TEST(DrawnDraft, GivesNoProbabilityOfTokensThatWereNotDrawn) {
  EXPECT_EQ(drawn(DrawKind::arg_max, 2, {2, 3, 0}, NextKind::bonus),
            "round 8: 3 drafted, 2 accepted, then 0 (bonus)\n0\n├─ 1  p 0.200\n└─ 2  p 0.300  "
            "accepted\n   └─ 3  p 0.400  accepted\n");
}

TEST(DrawnDraft, SaysNothingOfATokenThatAStopRuleCut) {
  EXPECT_EQ(drawn(DrawKind::arg_max, 2, {2}),
            "round 8: 3 drafted, 2 accepted\n0\n├─ 1  p 0.200\n└─ 2  p 0.300  accepted\n   └─ 3  p "
            "0.400\n");
}

/// Drawn twice, tested twice, one row of the forward.
TEST(DrawnDraft, MarksSiblingsOfOneTokenTogether) {
  Draft draft;
  draft.reset(0, DrawKind::sampled);
  draft.law_for(0) = Law::dense({0.0f, 1.0f, 0.0f, 0.0f});
  draft.add(0, 1);
  const TokenTree::Node second = draft.add(0, 1);
  draft.law_for(second) = Law::dense({0.0f, 0.0f, 1.0f, 0.0f});
  draft.add(second, 2);
  const DrawnDraft drawing(nullptr, draft, [](TokenTree::Node) -> const Law& { return kTarget; });
  EXPECT_EQ(text_of(drawing.round(record_of(2, NextKind::bonus), std::vector<Token>{1, 2, 3})),
            "round 8: 3 drafted, 2 accepted, then 3 (bonus)\n0\n├─ 1  q 1.000, p 0.200  "
            "accepted\n└─ 1  q 1.000, p 0.200  accepted\n   └─ 2  q 1.000, p 0.300  accepted\n");
}

TEST(DrawnDraft, OfNothingIsALine) {
  Draft draft;
  draft.reset(0, DrawKind::arg_max);
  const DrawnDraft drawing(nullptr, draft, [](TokenTree::Node) -> const Law& { return kTarget; });
  EXPECT_EQ(text_of(drawing.round({}, std::vector<Token>{5})),
            "round 1: nothing drafted, then 5\n");
}

}  // namespace
}  // namespace speclab::experiments
