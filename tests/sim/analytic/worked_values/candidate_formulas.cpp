#include "sim/analytic/block_verification.h"
#include "sim/analytic/candidates.h"
#include "tests/sim/analytic/worked_values/worked_formula.h"

namespace speclab::sim::testing {
namespace {

WorkedFormula of_candidates(double (*formula)(std::span<const double>, std::span<const double>,
                                              int)) {
  return {[formula](const FormulaExample& e) {
    return formula(e.list("p"), e.list("q"), e.integer("candidates"));
  }};
}

WorkedFormula element_of(std::vector<double> (*formula)(std::span<const double>,
                                                        std::span<const double>, int)) {
  return {[formula](const FormulaExample& e) {
    return formula(e.list("p"), e.list("q"), e.integer("candidates"))[e.element()];
  }};
}

}  // namespace

WorkedFormulas candidate_formulas() {
  return {
      {"naive_sampling_acceptance", of_candidates(naive_sampling_acceptance)},
      {"multi_step_acceptance", of_candidates(multi_step_acceptance)},
      {"spectr_acceptance", of_candidates(spectr_acceptance)},
      {"spectr_rho", {of_candidates(spectr_rho).value, Agreement::of_a_root}},
      {"without_replacement_acceptance", of_candidates(without_replacement_acceptance)},
      {"top_k_sampling_acceptance", of_candidates(top_k_sampling_acceptance)},
      {"optimal_acceptance_bound", of_candidates(optimal_acceptance_bound)},
      {"multi_step_rank_acceptance", element_of(multi_step_rank_acceptance)},
      {"without_replacement_rank_acceptance", element_of(without_replacement_rank_acceptance)},
      {"token_verification_accepted", {[](const auto& e) {
         return token_verification_accepted(e.list("p"), e.list("q"), speculation_length(e));
       }}},
      {"block_verification_accepted", {[](const auto& e) {
         return block_verification_accepted(e.list("p"), e.list("q"), speculation_length(e));
       }}},
  };
}

}  // namespace speclab::sim::testing
