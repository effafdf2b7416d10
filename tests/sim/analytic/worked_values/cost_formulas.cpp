#include "sim/analytic/speedup.h"
#include "tests/sim/analytic/worked_values/worked_formula.h"

namespace speclab::sim::testing {
namespace {

constexpr int kBeyondEveryExample = 1000;

WorkedFormula of_rate_and_cost(double (*formula)(double, double)) {
  return {[formula](const FormulaExample& e) {
    return formula(acceptance_rate(e), e.number("cost_ratio"));
  }};
}

double speedup_with_verify_cost(const FormulaExample& e) {
  const RelativeCosts costs{e.number("cost_ratio"), e.number("verify_cost_ratio"),
                            e.number("overhead_ratio")};
  return predicted_speedup(acceptance_rate(e), speculation_length(e), costs);
}

double best_length(const FormulaExample& e) {
  const int max_length =
      e.inputs.contains("max_length") ? e.integer("max_length") : kBeyondEveryExample;
  return optimal_speculation_length(acceptance_rate(e), e.number("cost_ratio"), max_length);
}

double read_per_token(const FormulaExample& e) {
  return bytes_per_token(
      acceptance_rate(e), speculation_length(e),
      {.target_bytes = e.number("target_bytes"), .draft_bytes = e.number("draft_bytes")});
}

}  // namespace

WorkedFormulas cost_formulas() {
  return {
      {"predicted_speedup", {[](const auto& e) {
         return predicted_speedup(acceptance_rate(e), speculation_length(e),
                                  e.number("cost_ratio"));
       }}},
      {"predicted_speedup_with_verify_cost", {speedup_with_verify_cost}},
      {"operations_factor", {[](const auto& e) {
         return operations_factor(acceptance_rate(e), speculation_length(e),
                                  e.number("draft_operations_ratio"));
       }}},
      {"target_reads_per_token", of_rate_and_length(target_reads_per_token)},
      {"bytes_per_token", {read_per_token}},
      {"predicted_speedup_lower_bound", of_rate_and_cost(predicted_speedup_lower_bound)},
      {"optimal_speculation_length", {best_length, Agreement::exact}},
      {"oracle_speedup", of_rate_and_cost(oracle_speedup)},
      {"oracle_gain", of_rate_and_cost(oracle_gain)},
      {"oracle_gain_supremum", {[](const auto&) { return oracle_gain_supremum(); }}},
      {"negligible_cost_speedup_limit", of_rate(negligible_cost_speedup_limit)},
  };
}

}  // namespace speclab::sim::testing
