#include "sim/monte_carlo/draft_tree.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/analytic/arguments.h"
#include "sim/system/errors.h"

namespace speclab::sim {

DraftTree::DraftTree(const TreeShape& shape, std::vector<double> rank_acceptance)
    : rank_acceptance_(std::move(rank_acceptance)) {
  SPECLAB_EXPECT(!rank_acceptance_.empty(), "rank_acceptance is empty");
  expect_rank_acceptance(rank_acceptance_);
  const double left = 1.0 - rank_acceptance_[0];
  double caught = 0.0;
  for (std::size_t rank = 0; rank < rank_acceptance_.size(); ++rank) {
    if (rank > 0 && left > 0.0) caught = std::min(1.0, caught + rank_acceptance_[rank] / left);
    sibling_share_.push_back(caught);
  }
  nodes_.resize(static_cast<std::size_t>(shape.num_nodes()) + 1);
  std::vector<int> depths{0};
  rows_of_depth_.push_back(1);
  for (std::size_t child = 1; child < nodes_.size(); ++child) {
    const auto parent = static_cast<std::size_t>(shape.parents()[child - 1]);
    if (nodes_[parent].children++ == 0) nodes_[parent].first_child = static_cast<int>(child);
    SPECLAB_EXPECT(
        static_cast<std::size_t>(nodes_[parent].children) <= rank_acceptance_.size(),
        "node " + std::to_string(parent) + " has more children than rank_acceptance has entries");
    depths.push_back(depths[parent] + 1);
    if (static_cast<std::size_t>(depths.back()) == rows_of_depth_.size())
      rows_of_depth_.push_back(rows_of_depth_.back());
    ++rows_of_depth_.back();
  }
}

}  // namespace speclab::sim
