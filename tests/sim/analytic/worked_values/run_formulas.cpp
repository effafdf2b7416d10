#include "sim/analytic/metrics.h"
#include "sim/analytic/other_forms.h"
#include "tests/sim/analytic/worked_values/worked_formula.h"

namespace speclab::sim::testing {
namespace {

BeamRound beam(const FormulaExample& e) {
  return {e.integer("beam_width"), e.integer("draft_beam_width"), speculation_length(e)};
}

WorkedFormula of_counts(double (*formula)(const RunCounts&)) {
  return {[formula](const FormulaExample& e) {
    return formula({e.integer("generated_tokens"), e.integer("rounds"), e.integer("accepted"),
                    e.integer("hit_rounds")});
  }};
}

ForwardTimes times(const FormulaExample& e) {
  return {.draft_time = e.number("draft_time"), .target_time = e.number("target_time")};
}

double measured_speedup(const FormulaExample& e) {
  return speedup({e.number("plain_seconds"), e.number("plain_tokens")},
                 {e.number("speculative_seconds"), e.number("speculative_tokens")});
}

double fraction(const FormulaExample& e) {
  return accepted_fraction_from_tokens_per_round(e.number("tokens_per_round"),
                                                 speculation_length(e));
}

}  // namespace

WorkedFormulas run_formulas() {
  return {
      {"beam_target_runs_per_round",
       {[](const auto& e) { return static_cast<double>(beam_target_runs_per_round(beam(e))); },
        Agreement::exact}},
      {"beam_steps_per_round", {[](const auto& e) {
         return beam_steps_per_round(e.number("inclusion_rate"), speculation_length(e));
       }}},
      {"beam_operations_factor",
       {[](const auto& e) { return beam_operations_factor(e.number("inclusion_rate"), beam(e)); }}},
      {"tokens_per_round_measured", of_counts(tokens_per_round_measured)},
      {"round_hit_rate", of_counts(round_hit_rate)},
      {"accepted_per_hit_round", of_counts(accepted_per_hit_round)},
      {"round_cost_from_speedup", {[](const auto& e) {
         return round_cost_from_speedup(e.number("tokens_per_round"), e.number("speedup"));
       }}},
      {"accepted_fraction_from_tokens_per_round", {fraction}},
      {"speedup", {measured_speedup}},
      {"dsi_expected_latency", {[](const auto& e) {
         return dsi_expected_latency(acceptance_rate(e), times(e), e.integer("tokens"));
       }}},
      {"dsi_target_servers",
       {[](const auto& e) { return dsi_target_servers(times(e), e.integer("lookahead")); },
        Agreement::exact}},
  };
}

}  // namespace speclab::sim::testing
