#include "sim/analytic/static_tree.h"
#include "sim/analytic/tree_families.h"
#include "tests/sim/analytic/worked_values/worked_formula.h"

namespace speclab::sim::testing {
namespace {

std::vector<double> ranks(const FormulaExample& e) { return e.list("rank_acceptance"); }

double of_parents(const FormulaExample& e) {
  std::vector<int> parents = e.integers("parents");
  parents.erase(parents.begin());  // the root's
  return tree_tokens_per_round(TreeShape::from_parents(parents), ranks(e));
}

HardwareAwareTree hardware_aware(const FormulaExample& e) {
  std::vector<VerifyCost> options;
  const auto times = e.list("verify_times");
  for (const int nodes : e.integers("budgets"))
    options.push_back({nodes, times[options.size()] / times[0]});
  return hardware_aware_tree(ranks(e), options, e.number("draft_time") / times[0],
                             e.integer("max_levels"));
}

}  // namespace

WorkedFormulas tree_formulas() {
  return {
      {"tree_tokens_per_round", {of_parents}},
      {"k_ary_tokens_per_round", {[](const auto& e) {
         return k_ary_tokens_per_round(ranks(e), e.integer("width"), e.integer("depth"));
       }}},
      {"k_ary_nodes",
       {[](const auto& e) { return k_ary_nodes(e.integer("width"), e.integer("depth")); },
        Agreement::exact}},
      {"independent_chains_tokens_per_round", {[](const auto& e) {
         return independent_chains_tokens_per_round(ranks(e), e.integer("chains"),
                                                    e.integer("depth"));
       }}},
      {"independent_chains_limit",
       {[](const auto& e) { return independent_chains_limit(ranks(e), e.integer("chains")); }}},
      {"expansion_tokens_per_round", {[](const auto& e) {
         return expansion_tokens_per_round(ranks(e), e.integers("expansion"));
       }}},
      {"expansion_nodes",
       {[](const auto& e) { return expansion_nodes(e.integers("expansion")); }, Agreement::exact}},
      {"sequoia_optimal_tokens_per_round", {[](const auto& e) {
         return sequoia_optimal_tree(ranks(e), {e.integer("node_budget"), e.integer("max_levels")})
             .tokens_per_round;
       }}},
      {"hardware_aware_predicted_speedup",
       {[](const auto& e) { return hardware_aware(e).predicted_speedup; }}},
      {"hardware_aware_nodes",
       {[](const auto& e) { return hardware_aware(e).budget.nodes; }, Agreement::exact}},
      {"hardware_aware_levels",
       {[](const auto& e) { return hardware_aware(e).budget.levels; }, Agreement::exact}},
  };
}

}  // namespace speclab::sim::testing
