#include "sim/analytic/acceptance_mixtures.h"
#include "sim/analytic/heuristic_schedule.h"
#include "sim/analytic/tokens_per_round.h"
#include "tests/sim/analytic/worked_values/worked_formula.h"
#include "tests/support/surface_speedup.h"

namespace speclab::sim::testing {
namespace {

double chance_of_tokens(const FormulaExample& e) {
  return tokens_per_round_pmf(
      acceptance_rate(e), speculation_length(e))[static_cast<std::size_t>(e.integer("tokens")) - 1];
}

double rounds(const FormulaExample& e) {
  return expected_rounds(tokens_per_round_pmf(acceptance_rate(e), speculation_length(e)),
                         e.integer("tokens"));
}

}  // namespace

WorkedFormulas chain_formulas() {
  return {
      {"tokens_per_round", of_rate_and_length(tokens_per_round)},
      {"tokens_per_round_pmf", {chance_of_tokens}},
      {"accepted_fraction", of_rate_and_length(accepted_fraction)},
      {"tokens_per_round_from_survival",
       {[](const auto& e) { return tokens_per_round_from_survival(e.list("survival")); }}},
      {"tokens_per_round_from_conditional", {[](const auto& e) {
         return tokens_per_round_from_conditional(e.list("conditional_acceptance"));
       }}},
      {"tokens_per_round_beta_mixture", {[](const auto& e) {
         return tokens_per_round_beta_mixture(e.number("beta_a"), e.number("beta_b"),
                                              speculation_length(e));
       }}},
      {"expected_rounds", {rounds}},
      {"heuristic_speculation_length",
       {[](const auto& e) {
          return heuristic_speculation_length(e.integers("matches"),
                                              e.integer("start"))[e.element()];
        },
        Agreement::exact}},
      {"heuristic_balance_length", of_rate(heuristic_balance_length)},
      {"heuristic_tokens_per_round", of_rate(heuristic_tokens_per_round)},
  };
}

}  // namespace speclab::sim::testing
