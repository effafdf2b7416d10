#include "experiments/drivers/predict/predicted_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/analytic/static_tree.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr int kDefaultBudget = 32;
constexpr int kDefaultLevels = 16;
constexpr int kMostNodes = 512;
constexpr int kMostLevels = 64;

int checked(const char* option, int value, int most) {
  if (value < 2 || value > most)
    throw ConfigError(
        fmt::format("{} {}; allowed: integers from 2 to {}, root included", option, value, most));
  return value;
}

/// What verifying each number of nodes costs.
std::vector<sim::VerifyCost> verify_costs(int fewest, int most, const CostInput& costs) {
  std::vector<sim::VerifyCost> options;
  for (int nodes = fewest; nodes <= most; ++nodes) {
    const sim::RelativeCosts at = costs.at(nodes - 1, {});
    options.push_back({nodes, at.verify_cost_ratio + at.overhead_ratio});
  }
  return options;
}

/// What drafting 0, 1, ... levels costs: as a chain as long.
std::vector<double> draft_costs(int levels, const CostInput& costs) {
  std::vector<double> ratios{0.0};
  for (int length = 1; length < levels; ++length)
    ratios.push_back(length * costs.at(length, {}).cost_ratio);
  return ratios;
}

/// Acceptance by rank is of trees alone. @throws ConfigError where a tree was asked for that
/// nothing is known of
bool is_wanted(const PredictOptions& options, const AcceptanceInput& acceptance) {
  const bool is_asked_for = options.tree_budget || options.tree_levels || options.rank_acceptance;
  if (acceptance.rank_acceptance.empty() && is_asked_for)
    throw ConfigError(
        "--tree-budget and --tree-levels need acceptance by rank; one acceptance rate is not "
        "enough: give --rank-acceptance P1,P2,..., --observed RUN, or --target-law and "
        "--draft-law");
  return is_asked_for;
}

/// @param is_rate_certain  else an interval, which could only be that of the costs, would be too
/// narrow
analysis::Estimate speedup_of(const sim::OptimalTree& tree, const CostInput& costs,
                              bool is_rate_certain) {
  const auto at = [&](const CostCorner& corner) {
    const sim::RelativeCosts forward = costs.at(tree.shape.num_nodes(), corner),
                             draft = costs.at(tree.shape.depth(), corner);
    return tree.tokens_per_round / (forward.verify_cost_ratio + forward.overhead_ratio +
                                    tree.shape.depth() * draft.cost_ratio);
  };
  analysis::Estimate speedup{.value = at({})};
  if (costs.has_interval && is_rate_certain)
    speedup.interval = analysis::Interval{at(kDearRounds), at(kCheapRounds)};
  return speedup;
}

std::string assumption_of(const AcceptanceInput& acceptance, bool are_measured) {
  return fmt::format("acceptance by rank {:.4g}{}; a level costs one draft forward{}",
                     fmt::join(acceptance.rank_acceptance, ", "),
                     acceptance.siblings ? ", here also by depth and by what a node follows" : "",
                     are_measured ? "" : ", verification v whatever the number of nodes");
}

/// The budget that pays most.
sim::HardwareAwareTree best_budget(const AcceptanceInput& acceptance,
                                   const std::vector<sim::VerifyCost>& verify,
                                   const std::vector<double>& draft) {
  if (!acceptance.siblings)
    return sim::hardware_aware_tree(acceptance.rank_acceptance, verify, draft);
  const int most_nodes = std::ranges::max_element(verify, {}, &sim::VerifyCost::nodes)->nodes;
  std::vector<std::vector<double>> tokens;  // [levels - 1][nodes - 1]
  for (int levels = 1; levels <= std::ssize(draft); ++levels)
    tokens.push_back(sim::likeliest_tree_tokens(*acceptance.siblings, {most_nodes, levels}));
  const auto at = [&](const sim::TreeBudget& budget) {
    return tokens[static_cast<std::size_t>(budget.levels - 1)]
                 [static_cast<std::size_t>(budget.nodes - 1)];
  };
  return sim::hardware_aware_tree(at, verify, draft);
}

/// What the ranks alone would say of the tree, and what a chain of as many nodes gives.
void compare_tree(const AcceptanceInput& acceptance, const TreeShape& shape,
                  PredictedTree& predicted) {
  const TreeShape chain = TreeShape::chain(shape.num_nodes());
  predicted.rank_tokens_per_round = sim::tree_tokens_per_round(shape, acceptance.rank_acceptance);
  predicted.chain_tokens_per_round =
      sim::tree_tokens_per_round_by_node(chain, acceptance.siblings->of_nodes(chain));
}

}  // namespace

std::optional<PredictedTree> predicted_tree(const PredictOptions& options,
                                            const AcceptanceInput& acceptance,
                                            const CostInput& costs) {
  if (!is_wanted(options, acceptance)) return std::nullopt;
  const bool are_measured = options.costs.has_value();
  const int most_nodes = are_measured ? std::min(kMostNodes, costs.longest + 1) : kMostNodes;
  const int most_levels = are_measured ? std::min(kMostLevels, costs.longest + 1) : kMostLevels;
  const int budget =
      checked("--tree-budget", options.tree_budget.value_or(std::min(kDefaultBudget, most_nodes)),
              most_nodes);
  const int levels =
      checked("--tree-levels", options.tree_levels.value_or(std::min(kDefaultLevels, most_levels)),
              most_levels);
  const int fewest = are_measured ? 2 : budget;  // with ratios more nodes cost no more
  const sim::HardwareAwareTree best =
      best_budget(acceptance, verify_costs(fewest, budget, costs), draft_costs(levels, costs));
  const std::string assumption = assumption_of(acceptance, are_measured);
  if (best.predicted_speedup <= 1.0) return PredictedTree{.assumption = assumption};
  const sim::OptimalTree tree =
      acceptance.siblings ? sim::likeliest_tree(*acceptance.siblings, best.budget)
                          : sim::sequoia_optimal_tree(acceptance.rank_acceptance, best.budget);
  PredictedTree predicted{
      .nodes = tree.shape.num_nodes() + 1,
      .levels = tree.shape.depth() + 1,
      .tokens_per_round = tree.tokens_per_round,
      .predicted_speedup = speedup_of(tree, costs, !acceptance.rate.interval),
      .parents = fmt::format("parents:{}", fmt::join(tree.shape.parents(), ",")),
      .assumption = assumption};
  if (acceptance.siblings) compare_tree(acceptance, tree.shape, predicted);
  return predicted;
}

}  // namespace speclab::experiments
