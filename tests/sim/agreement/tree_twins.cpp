// Trees: the accepted path is walked down, child by child.

#include <numeric>

#include "sim/analytic/static_tree.h"
#include "sim/analytic/tree_families.h"
#include "tests/sim/agreement/twin.h"

namespace speclab::testing {
namespace {

using namespace sim;

/// The child that is accepted, or -1: child number b with chance ranks[b].
int accepted_child(Dice& dice, const std::vector<double>& ranks, int children) {
  double left = dice.uniform();
  for (int b = 0; b < children; ++b)
    if ((left -= ranks[static_cast<std::size_t>(b)]) < 0.0) return b;
  return -1;
}

std::vector<std::vector<int>> children_of(const TreeShape& shape) {
  std::vector<std::vector<int>> children(static_cast<std::size_t>(shape.num_nodes()) + 1);
  for (int node = 1; node <= shape.num_nodes(); ++node)
    children[static_cast<std::size_t>(shape.parents()[static_cast<std::size_t>(node - 1)])]
        .push_back(node);
  return children;
}

/// Down from the root until no child is accepted. @param chances  of each node's children
double tokens_of_walk(Dice& dice, const std::vector<std::vector<double>>& chances,
                      const std::vector<std::vector<int>>& children) {
  double tokens = 1.0;
  for (std::size_t node = 0;; ++tokens) {
    const int b = accepted_child(dice, chances[node], static_cast<int>(children[node].size()));
    if (b < 0) return tokens;
    node = static_cast<std::size_t>(children[node][static_cast<std::size_t>(b)]);
  }
}

Setting walked(double expected, const TreeShape& shape, const std::vector<double>& ranks) {
  const auto children = children_of(shape);
  return relative(expected, [children, chances = std::vector(children.size(), ranks)](Dice& d) {
    return tokens_of_walk(d, chances, children);
  });
}

std::vector<double> any_ranks(Dice& dice) { return dice.ranks(4, dice.between(0.7, 0.98)); }

TreeShape random_shape(Dice& dice) {
  std::vector<int> parents;
  std::vector<int> children(1, 0);
  for (int node = 1, parent = 0; node <= dice.integer(4, 12); ++node, children.push_back(0)) {
    while (children[static_cast<std::size_t>(parent)] == 4 || (parent + 1 < node && dice.coin(0.4)))
      ++parent;
    ++children[static_cast<std::size_t>(parent)];
    parents.push_back(parent);
  }
  return TreeShape::from_parents(parents);
}

Setting random_tree(Dice& dice) {
  const auto shape = random_shape(dice);
  const auto ranks = any_ranks(dice);
  return walked(tree_tokens_per_round(shape, ranks), shape, ranks);
}

/// Every node's children have chances of their own.
Setting random_tree_by_node(Dice& dice) {
  const auto shape = random_shape(dice);
  const auto children = children_of(shape);
  std::vector<std::vector<double>> chances;
  std::vector<double> by_node;
  for (const auto& siblings : children) {
    chances.push_back(siblings.empty()
                          ? std::vector<double>{}
                          : dice.ranks(static_cast<int>(siblings.size()), dice.between(0.3, 0.98)));
    by_node.insert(by_node.end(), chances.back().begin(), chances.back().end());
  }
  return relative(tree_tokens_per_round_by_node(shape, by_node),
                  [chances, children](Dice& d) { return tokens_of_walk(d, chances, children); });
}

Setting k_ary(Dice& dice) {
  const auto ranks = any_ranks(dice);
  const int width = dice.integer(1, 4), depth = dice.integer(1, 4);
  return relative(k_ary_tokens_per_round(ranks, width, depth), [=](Dice& d) {
    double tokens = 1.0;
    while (tokens <= depth && accepted_child(d, ranks, width) >= 0) ++tokens;
    return tokens;
  });
}

Setting chains_side_by_side(Dice& dice) {
  const auto ranks = any_ranks(dice);
  const int chains = dice.integer(1, 4), depth = dice.integer(1, 6);
  return relative(independent_chains_tokens_per_round(ranks, chains, depth), [=](Dice& d) {
    double tokens = 1.0;
    for (int width = chains; tokens <= depth && accepted_child(d, ranks, width) >= 0; width = 1)
      ++tokens;
    return tokens;
  });
}

Setting expansion(Dice& dice) {
  const auto ranks = any_ranks(dice);
  std::vector<int> widths(static_cast<std::size_t>(dice.integer(1, 6)));
  for (int& width : widths) width = dice.integer(1, 4);
  return relative(expansion_tokens_per_round(ranks, widths), [=](Dice& d) {
    std::size_t level = 0;
    while (level < widths.size() && accepted_child(d, ranks, widths[level]) >= 0) ++level;
    return 1.0 + static_cast<double>(level);
  });
}

template <typename Search>
Setting best_tree(Dice& dice, Search search) {
  const auto ranks = any_ranks(dice);
  const OptimalTree tree = search(ranks, TreeBudget{dice.integer(2, 24), dice.integer(2, 6)});
  return walked(tree.tokens_per_round, tree.shape, ranks);
}

}  // namespace

std::vector<Twin> tree_twins() {
  return {
      {"tree_tokens_per_round", random_tree},
      {"tree_tokens_per_round_by_node", random_tree_by_node},
      {"k_ary_tokens_per_round", k_ary},
      {"independent_chains_tokens_per_round", chains_side_by_side},
      {"expansion_tokens_per_round", expansion},
      {"sequoia_optimal_tree",
       [](Dice& d) {
         return best_tree(d, [](const auto& ranks, const TreeBudget& budget) {
           return sequoia_optimal_tree(ranks, budget);
         });
       }},
      {"best_first_tree",
       [](Dice& d) {
         return best_tree(d, [](const auto& ranks, const TreeBudget& budget) {
           return best_first_tree(ranks, budget);
         });
       }},
  };
}

}  // namespace speclab::testing
