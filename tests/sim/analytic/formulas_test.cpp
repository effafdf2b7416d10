// The closed forms against the worked values of tests/golden/formula_examples.csv.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "sim/analytic/candidates.h"
#include "sim/analytic/one_token.h"
#include "sim/analytic/oracle.h"
#include "sim/analytic/speedup.h"
#include "sim/analytic/static_tree.h"
#include "sim/analytic/tokens_per_round.h"
#include "tests/support/golden_table.h"

namespace speclab::sim {
namespace {

using speclab::testing::FormulaExample;
using Formula = std::function<double(const FormulaExample&)>;

/// The number in brackets at the end of a formula's name.
std::size_t element(const FormulaExample& example) { return std::stoul(example.formula.substr(example.formula.find('[') + 1)); }

double tree_value(const FormulaExample& e) {
  std::vector<int> parents;
  for (const double parent : e.list("parents"))
    if (parent >= 0) parents.push_back(static_cast<int>(parent));
  return tree_tokens_per_round(TreeShape::from_parents(parents), e.list("rank_acceptance"));
}

HardwareAwareTree hardware_aware(const FormulaExample& e) {
  std::vector<VerifyCost> options;
  const auto times = e.list("verify_times");
  for (const double nodes : e.list("budgets")) options.push_back({static_cast<int>(nodes), times[options.size()] / times[0]});
  return hardware_aware_tree(e.list("rank_acceptance"), options, e.number("draft_time") / times[0], e.integer("max_levels"));
}

double total(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

std::map<std::string, Formula> formulas() {
  const auto rate = [](const FormulaExample& e) { return e.number("acceptance_rate"); };
  const auto length = [](const FormulaExample& e) { return e.integer("speculation_length"); };
  const auto ranks = [](const FormulaExample& e) { return without_replacement_rank_acceptance(e.list("p"), e.list("q"), e.integer("candidates")); };
  return {
      {"lk_divergence", [](const auto& e) { return lk_divergence(e.list("p"), e.list("q")); }},
      {"acceptance_probability", [](const auto& e) { return acceptance_probability(e.list("p"), e.list("q")); }},
      {"residual_distribution", [](const auto& e) { return residual_distribution(e.list("p"), e.list("q"))[element(e)]; }},
      {"without_replacement_acceptance", [=](const auto& e) { return total(ranks(e)); }},
      {"without_replacement_rank_acceptance", [=](const auto& e) { return ranks(e)[element(e)]; }},
      {"tokens_per_round", [=](const auto& e) { return tokens_per_round(rate(e), length(e)); }},
      {"tokens_per_round_pmf", [=](const auto& e) { return tokens_per_round_pmf(rate(e), length(e))[static_cast<std::size_t>(e.integer("tokens")) - 1]; }},
      {"tokens_per_round_variance", [=](const auto& e) { return tokens_per_round_variance(rate(e), length(e)); }},
      {"tokens_per_round_from_survival", [](const auto& e) { return tokens_per_round_from_survival(e.list("survival")); }},
      {"tokens_per_round_from_conditional", [](const auto& e) { return tokens_per_round_from_conditional(e.list("conditional_acceptance")); }},
      {"accepted_fraction", [=](const auto& e) { return accepted_fraction(rate(e), length(e)); }},
      {"expected_rounds", [=](const auto& e) { return expected_rounds(tokens_per_round_pmf(rate(e), length(e)), e.integer("tokens")); }},
      {"predicted_speedup", [=](const auto& e) { return predicted_speedup(rate(e), length(e), e.number("cost_ratio")); }},
      {"predicted_speedup_with_verify_cost", [=](const auto& e) {
         return predicted_speedup(rate(e), length(e), RelativeCosts{e.number("cost_ratio"), e.number("verify_cost_ratio"), e.number("overhead_ratio")});
       }},
      {"optimal_speculation_length", [=](const auto& e) {
         return optimal_speculation_length(rate(e), e.number("cost_ratio"), e.inputs.contains("max_length") ? e.integer("max_length") : 1000);
       }},
      {"oracle_speedup", [=](const auto& e) { return oracle_speedup(rate(e), e.number("cost_ratio")); }},
      {"tree_tokens_per_round", tree_value},
      {"sequoia_optimal_tokens_per_round", [](const auto& e) {
         return sequoia_optimal_tree(e.list("rank_acceptance"), {e.integer("node_budget"), e.integer("max_levels")}).tokens_per_round;
       }},
      {"hardware_aware_predicted_speedup", [](const auto& e) { return hardware_aware(e).predicted_speedup; }},
      {"hardware_aware_nodes", [](const auto& e) { return hardware_aware(e).budget.nodes; }},
      {"hardware_aware_levels", [](const auto& e) { return hardware_aware(e).budget.levels; }},
  };
}

TEST(Formulas, ReproduceTheWorkedValues) {
  const auto known = formulas();
  std::map<std::string, int> tested;
  for (const FormulaExample& example : speclab::testing::read_formula_examples()) {
    const std::string name = example.formula.substr(0, example.formula.find('['));
    if (name == "heuristic_speculation_length") continue;  // policies_test.cpp
    ASSERT_TRUE(known.contains(name)) << name;
    const double value = known.at(name)(example);
    EXPECT_NEAR(value, example.value, 1e-12 * std::max(1.0, std::abs(example.value))) << example.formula;
    ++tested[name];
  }
  for (const auto& [name, formula] : known) EXPECT_GT(tested[name], 0) << name;
}

}  // namespace
}  // namespace speclab::sim
