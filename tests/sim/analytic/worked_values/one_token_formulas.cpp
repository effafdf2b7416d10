#include "sim/analytic/one_token.h"
#include "tests/sim/analytic/worked_values/worked_formula.h"

namespace speclab::sim::testing {
namespace {

using Laws = double (*)(std::span<const double>, std::span<const double>);

WorkedFormula of_laws(Laws formula) {
  return {[formula](const FormulaExample& e) { return formula(e.list("p"), e.list("q")); }};
}

double lenient_output(const FormulaExample& e) {
  const LenientResidual form =
      e.inputs.at("residual") == "p_minus_q" ? LenientResidual::full : LenientResidual::lenient;
  return lenient_output_distribution(e.list("p"), e.list("q"), e.number("lenience"),
                                     form)[e.element()];
}

}  // namespace

WorkedFormulas one_token_formulas() {
  return {
      {"lk_divergence", of_laws(lk_divergence)},
      {"acceptance_probability", of_laws(acceptance_probability)},
      {"noniterative_acceptance_rate", of_laws(noniterative_acceptance_rate)},
      {"sample_match_acceptance_rate", of_laws(sample_match_acceptance_rate)},
      {"point_mass_acceptance_rate", {[](const auto& e) {
         return point_mass_acceptance_rate(e.list("p"), e.integer("draft_token"));
       }}},
      {"lenient_acceptance_rate", {[](const auto& e) {
         return lenient_acceptance_rate(e.list("p"), e.list("q"), e.number("lenience"));
       }}},
      {"lenient_output_distribution", {lenient_output}},
  };
}

}  // namespace speclab::sim::testing
