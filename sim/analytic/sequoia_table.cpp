#include "sim/analytic/sequoia_table.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "sim/analytic/arguments.h"
#include "sim/analytic/tree_families.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr double kNoTree = -std::numeric_limits<double>::infinity();

std::vector<double> by_best_first(std::span<const double> ranks, const TreeBudget& limits) {
  std::vector<double> values = best_first_scores(ranks, limits);
  std::partial_sum(values.begin(), values.end(), values.begin());
  values.resize(static_cast<std::size_t>(limits.nodes), values.back());
  return values;
}

std::vector<double> by_table(const SequoiaTable& table, const TreeBudget& limits) {
  std::vector<double> values;
  for (int nodes = 1; nodes <= limits.nodes; ++nodes)
    values.push_back(
        std::max(table.tokens(nodes, limits.levels), values.empty() ? 1.0 : values.back()));
  return values;
}

}  // namespace

SequoiaTable::SequoiaTable(std::span<const double> rank_acceptance, const TreeBudget& budget)
    : ranks_(rank_acceptance.begin(), rank_acceptance.end()),
      nodes_(static_cast<std::size_t>(std::max(budget.nodes, 1))) {
  expect_rank_acceptance(rank_acceptance);
  budget.expect_valid();
  levels_.push_back(only_root());
  for (int levels = 2; levels <= budget.levels; ++levels) {
    Level next = one_more(levels_.back());
    const bool changes =
        !std::ranges::equal(next.best, levels_.back().best, {}, &Best::tokens, &Best::tokens);
    if (!changes) break;
    levels_.push_back(std::move(next));
  }
}

const SequoiaTable::Level& SequoiaTable::level(int levels) const {
  return levels_[std::min(index(levels), levels_.size() - 1)];
}

SequoiaTable::Level SequoiaTable::only_root() const {
  Level level;
  level.tokens.assign(ranks_.size() + 1, std::vector<double>(nodes_, kNoTree));
  level.last_nodes.assign(ranks_.size() + 1, std::vector<std::int16_t>(nodes_, 0));
  level.tokens[0][0] = 1.0;
  level.best.assign(nodes_, {kNoTree, 0});
  level.best[0] = {1.0, 0};
  return level;
}

SequoiaTable::Level SequoiaTable::one_more(const Level& below) const {
  Level here = only_root();
  for (std::size_t children = 1; children <= ranks_.size(); ++children) {
    split_best(below, children, here);
    for (std::size_t n = 0; n < nodes_; ++n)
      if (here.tokens[children][n] > here.best[n].tokens)
        here.best[n] = {here.tokens[children][n], static_cast<int>(children)};
  }
  return here;
}

/// For every size the best way to give the last of `children` children a subtree of m nodes; the
/// smallest m on ties.
void SequoiaTable::split_best(const Level& below, std::size_t children, Level& here) const {
  const std::vector<double>& elder = here.tokens[children - 1];
  std::vector<double>& tokens = here.tokens[children];
  std::vector<std::int16_t>& last_nodes = here.last_nodes[children];
  for (std::size_t m = 1; m + children <= nodes_; ++m) {
    if (below.best[m - 1].tokens == kNoTree) continue;
    const double last = ranks_[children - 1] * below.best[m - 1].tokens;
    for (std::size_t n = m + children - 1; n < nodes_; ++n) {
      const bool better = elder[n - m] + last > tokens[n];
      tokens[n] = better ? elder[n - m] + last : tokens[n];
      last_nodes[n] = better ? static_cast<std::int16_t>(m) : last_nodes[n];
    }
  }
}

int SequoiaTable::best_size(int nodes, int levels) const {
  int best = 1;
  for (int n = 2; n <= nodes; ++n)
    if (tokens(n, levels) > tokens(best, levels)) best = n;
  return best;
}

/// In rank order.
std::vector<SequoiaTable::Subtree> SequoiaTable::children_of(Subtree tree) const {
  std::vector<Subtree> subtrees;
  for (; tree.children > 0; --tree.children) {
    const int last_nodes =
        level(tree.levels).last_nodes[static_cast<std::size_t>(tree.children)][index(tree.nodes)];
    subtrees.push_back(
        {last_nodes, tree.levels - 1, level(tree.levels - 1).best[index(last_nodes)].children});
    tree.nodes -= last_nodes;
  }
  std::ranges::reverse(subtrees);
  return subtrees;
}

TreeShape SequoiaTable::shape(int nodes, int levels) const {
  const int depth =
      std::min(levels, static_cast<int>(levels_.size()));  // further levels change nothing
  std::vector<Subtree> queue{{nodes, depth, level(depth).best[index(nodes)].children}};
  std::vector<int> parents;
  for (std::size_t node = 0; node < queue.size(); ++node)
    for (const Subtree& child : children_of(queue[node])) {
      parents.push_back(static_cast<int>(node));
      queue.push_back(child);
    }
  return TreeShape::from_parents(std::move(parents));
}

OptimalTokens::OptimalTokens(std::span<const double> rank_acceptance, const TreeBudget& limits)
    : limits_(limits) {
  limits.expect_valid();
  const auto add_levels = [&](auto values_of) {
    for (int levels = 1; levels <= std::min(limits.levels, limits.nodes); ++levels)
      by_level_.push_back(values_of(TreeBudget{limits.nodes, levels}));
  };
  if (std::ranges::is_sorted(rank_acceptance, std::ranges::greater{})) {
    add_levels([&](const TreeBudget& budget) { return by_best_first(rank_acceptance, budget); });
    return;
  }
  const SequoiaTable table(rank_acceptance, limits);
  add_levels([&](const TreeBudget& budget) { return by_table(table, budget); });
}

double OptimalTokens::at_most(int nodes, int levels) const {
  SPECLAB_EXPECT(nodes >= 1 && nodes <= limits_.nodes && levels >= 1 && levels <= limits_.levels,
                 std::to_string(nodes) + " nodes, " + std::to_string(levels) +
                     " levels; allowed: 1 to the limits");
  return by_level_[std::min(static_cast<std::size_t>(levels), by_level_.size()) - 1]
                  [static_cast<std::size_t>(nodes) - 1];
}

}  // namespace speclab::sim
