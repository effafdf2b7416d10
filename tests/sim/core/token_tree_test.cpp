#include "sim/core/token_tree.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"

namespace speclab {
namespace {

TEST(TokenTree, GivesDepthsRowsAndChildrenInDrawingOrder) {
  TokenTree tree;
  tree.reset(1);
  const auto a = tree.add(0, 10);
  const auto b = tree.add(0, 20);
  const auto c = tree.add(a, 30);
  EXPECT_EQ(tree[c].depth, 2);
  EXPECT_EQ(tree.num_rows(), 4);
  EXPECT_EQ(tree.drafted(), 3);
  std::vector<TokenTree::Node> children{99};
  tree.children(0, children);
  EXPECT_EQ(children, (std::vector<TokenTree::Node>{a, b}));
  EXPECT_FALSE(tree.is_chain());
}

TEST(TokenTree, LetsEqualSiblingsShareARow) {
  TokenTree tree;
  tree.reset(1);
  const auto first = tree.add(0, 10);
  const auto other = tree.add(0, 11);
  const auto equal = tree.add(0, 10);
  const auto cousin = tree.add(other, 10);
  EXPECT_EQ(tree[equal].row, tree[first].row);
  EXPECT_NE(tree[cousin].row, tree[first].row);
  EXPECT_EQ(tree.num_rows(), 4);
  EXPECT_EQ(tree.size(), 5);
  EXPECT_EQ(tree.node_of_row(tree[equal].row), first);
  EXPECT_EQ(tree.node_of_row(3), cousin);
  EXPECT_THROW(tree.node_of_row(4), ContractError);
}

TEST(TokenTree, IsAChainWhenEveryNodeFollowsTheOneBefore) {
  TokenTree tree;
  tree.reset(1);
  EXPECT_TRUE(tree.is_chain());
  tree.add(tree.add(0, 2), 3);
  EXPECT_TRUE(tree.is_chain());
  tree.reset(7);
  EXPECT_EQ(tree.size(), 1);
  EXPECT_EQ(tree[0].token, 7);
}

}  // namespace
}  // namespace speclab
