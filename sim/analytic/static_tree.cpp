#include "sim/analytic/static_tree.h"

#include <algorithm>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/analytic/sequoia_table.h"
#include "sim/system/errors.h"

namespace speclab::sim {

namespace {

/// Each node's chance is that of its place among its siblings.
std::vector<double> acceptance_by_node(const TreeShape& shape,
                                       std::span<const double> rank_acceptance) {
  std::vector<double> by_node;
  int previous_parent = -1;
  std::size_t rank = 0;
  for (const int parent : shape.parents()) {
    rank = parent == previous_parent ? rank + 1 : 0;
    previous_parent = parent;
    SPECLAB_EXPECT(
        rank < rank_acceptance.size(),
        "node " + std::to_string(parent) + " has more children than rank_acceptance has entries");
    by_node.push_back(rank_acceptance[rank]);
  }
  return by_node;
}

/// At most one child of a node is accepted.
void expect_node_acceptance(const TreeShape& shape, std::span<const double> node_acceptance) {
  SPECLAB_EXPECT(node_acceptance.size() == shape.parents().size(),
                 std::to_string(node_acceptance.size()) +
                     " node acceptances; allowed: one for each of " +
                     std::to_string(shape.num_nodes()) + " drafted nodes");
  for (std::size_t first = 0, last = 0; first < node_acceptance.size(); first = last) {
    while (last < node_acceptance.size() && shape.parents()[last] == shape.parents()[first]) ++last;
    expect_rank_acceptance(node_acceptance.subspan(first, last - first));
  }
}

void expect_choice(std::span<const VerifyCost> options, std::span<const double> draft_ratios) {
  SPECLAB_EXPECT(!options.empty() && !draft_ratios.empty(),
                 "needs a size and a depth to choose from");
}

/// Sum of scores: the product of acceptances along the path.
double sum_of_scores(const TreeShape& shape, std::span<const double> node_acceptance) {
  std::vector<double> score{1.0};
  double total = 1.0;
  for (std::size_t node = 0; node < node_acceptance.size(); ++node) {
    const auto parent = static_cast<std::size_t>(shape.parents()[node]);
    score.push_back(score[parent] * node_acceptance[node]);
    total += score.back();
  }
  return total;
}

}  // namespace

double tree_tokens_per_round(const TreeShape& shape, std::span<const double> rank_acceptance) {
  expect_rank_acceptance(rank_acceptance);
  return sum_of_scores(shape, acceptance_by_node(shape, rank_acceptance));
}

double tree_tokens_per_round_by_node(const TreeShape& shape,
                                     std::span<const double> node_acceptance) {
  expect_node_acceptance(shape, node_acceptance);
  return sum_of_scores(shape, node_acceptance);
}

void TreeBudget::expect_valid() const {
  SPECLAB_EXPECT(nodes >= 1 && nodes <= 4096 && levels >= 1 && levels <= 4096,
                 std::to_string(nodes) + " nodes, " + std::to_string(levels) +
                     " levels; allowed: 1 to 4096 of each");
}

OptimalTree sequoia_optimal_tree(std::span<const double> rank_acceptance,
                                 const TreeBudget& budget) {
  const SequoiaTable table(rank_acceptance, budget);
  const int nodes = table.best_size(budget.nodes, budget.levels);
  return {table.shape(nodes, budget.levels), table.tokens(nodes, budget.levels)};
}

HardwareAwareTree hardware_aware_tree(std::span<const double> rank_acceptance,
                                      std::span<const VerifyCost> options, double cost_ratio,
                                      int max_levels) {
  expect_at_least(1, max_levels, "max_levels");
  expect_not_negative(cost_ratio, "cost_ratio");
  std::vector<double> draft_ratios;
  for (int levels = 1; levels <= max_levels; ++levels)
    draft_ratios.push_back((levels - 1) * cost_ratio);
  return hardware_aware_tree(rank_acceptance, options, draft_ratios);
}

HardwareAwareTree hardware_aware_tree(std::span<const double> rank_acceptance,
                                      std::span<const VerifyCost> options,
                                      std::span<const double> draft_ratios) {
  expect_choice(options, draft_ratios);
  const OptimalTokens tokens(rank_acceptance,
                             {std::ranges::max_element(options, {}, &VerifyCost::nodes)->nodes,
                              static_cast<int>(draft_ratios.size())});
  return hardware_aware_tree(
      [&](const TreeBudget& budget) { return tokens.at_most(budget.nodes, budget.levels); },
      options, draft_ratios);
}

HardwareAwareTree hardware_aware_tree(const std::function<double(const TreeBudget&)>& tokens,
                                      std::span<const VerifyCost> options,
                                      std::span<const double> draft_ratios) {
  expect_choice(options, draft_ratios);
  const int max_levels = static_cast<int>(draft_ratios.size());
  HardwareAwareTree best{.budget = {}, .predicted_speedup = 0.0};
  for (const VerifyCost& option : options) {
    expect_positive(option.ratio, "a verify cost");
    for (int levels = 1; levels <= max_levels; ++levels) {
      const double draft_ratio = draft_ratios[static_cast<std::size_t>(levels - 1)];
      expect_not_negative(draft_ratio, "a draft cost");
      const double speedup = tokens({option.nodes, levels}) / (option.ratio + draft_ratio);
      if (speedup > best.predicted_speedup) best = {{option.nodes, levels}, speedup};
    }
  }
  return best;
}

}  // namespace speclab::sim
