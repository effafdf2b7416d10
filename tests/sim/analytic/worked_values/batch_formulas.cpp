#include "sim/analytic/batch.h"
#include "tests/sim/analytic/worked_values/worked_formula.h"

namespace speclab::sim::testing {
namespace {

DeviceRates device(const FormulaExample& e) {
  return {.bandwidth_bytes_per_s = e.number("bandwidth_bytes_per_s"),
          .flop_per_s = e.number("flop_per_s")};
}

/// "weight bytes:parameters".
ModelShape model(const FormulaExample& e, const std::string& name) {
  const auto numbers = speclab::testing::split(e.inputs.at(name), ':');
  return {.weight_bytes = std::stod(numbers.at(0)), .parameters = std::stod(numbers.at(1))};
}

double forward_ms(const FormulaExample& e) {
  const ModelShape shape{e.number("weight_bytes"), e.number("parameters"),
                         e.number("kv_bytes_per_token")};
  return forward_time_ms(
      shape, device(e),
      {.batch = e.integer("batch"), .rows = e.integer("rows"), .context = e.integer("context")});
}

BatchSetting setting(const FormulaExample& e) {
  return {.target = model(e, "target"),
          .draft = model(e, "draft"),
          .device = device(e),
          .batch = e.integer("batch"),
          .context = e.integer("context")};
}

WorkedFormula of_batch(double (*formula)(double, int, int)) {
  return {[formula](const FormulaExample& e) {
    return formula(acceptance_rate(e), speculation_length(e), e.integer("batch"));
  }};
}

}  // namespace

WorkedFormulas batch_formulas() {
  return {
      {"forward_time_ms", {forward_ms}},
      {"ridge_rows",
       {[](const auto& e) { return ridge_rows(device(e), e.number("bytes_per_parameter")); }}},
      {"verify_cost_ratio", {[](const auto& e) {
         return batch_costs(setting(e), speculation_length(e)).verify_cost_ratio;
       }}},
      {"cost_ratio",
       {[](const auto& e) { return batch_costs(setting(e), speculation_length(e)).cost_ratio; }}},
      {"predicted_batch_speedup", {[](const auto& e) {
         return predicted_batch_speedup(acceptance_rate(e), speculation_length(e), setting(e));
       }}},
      {"batched_round_tokens_mean_max", of_batch(batched_round_tokens_mean_max)},
      {"batched_round_tokens_mean_min", of_batch(batched_round_tokens_mean_min)},
      {"offload_token_time_s", {[](const auto& e) {
         return offload_token_time_s(e.number("weight_bytes"), e.number("link_bytes_per_s"));
       }}},
  };
}

}  // namespace speclab::sim::testing
