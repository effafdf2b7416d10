#include "sim/analytic/lenience.h"
#include "sim/analytic/one_token.h"
#include "sim/analytic/warped_law.h"
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
      {"residual_distribution", {[](const auto& e) {
         return residual_distribution(e.list("p"), e.list("q"))[e.element()];
       }}},
      {"noniterative_acceptance_rate", of_laws(noniterative_acceptance_rate)},
      {"sample_match_acceptance_rate", of_laws(sample_match_acceptance_rate)},
      {"point_mass_acceptance_rate", {[](const auto& e) {
         return point_mass_acceptance_rate(e.list("p"), e.integer("draft_token"));
       }}},
      {"lenient_acceptance_rate", {[](const auto& e) {
         return lenient_acceptance_rate(e.list("p"), e.list("q"), e.number("lenience"));
       }}},
      {"lenient_output_distribution", {lenient_output}},
      {"argmax_lenient_accepts",
       {[](const auto& e) {
          return argmax_lenient_accepts(e.list("p"), e.integer("draft_token"), e.number("lenience"))
                     ? 1.0
                     : 0.0;
        },
        Agreement::exact}},
      {"softmax_with_temperature", {[](const auto& e) {
         return softmax_with_temperature(e.list("logits"), e.number("temperature"))[e.element()];
       }}},
      {"top_k_distribution", {[](const auto& e) {
         return top_k_distribution(e.list("p"), e.integer("top_k"))[e.element()];
       }}},
      {"top_p_distribution", {[](const auto& e) {
         return top_p_distribution(e.list("p"), e.number("top_p"))[e.element()];
       }}},
      {"acceptance_probability_of_logits", {[](const auto& e) {
         return acceptance_probability_of_logits(e.list("target_logits"), e.list("draft_logits"),
                                                 e.number("temperature"));
       }}},
      {"value_dependent_drop_output", {[](const auto& e) {
         return value_dependent_drop_output(e.list("p"), e.list("q"),
                                            e.integer("kept_if_token"))[e.element()];
       }}},
  };
}

}  // namespace speclab::sim::testing
