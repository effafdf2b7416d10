#include "sim/analytic/other_forms.h"
#include "tests/sim/analytic/worked_values/worked_formula.h"
#include "tests/support/mlp_reference.h"

namespace speclab::sim::testing {
namespace {

using namespace speclab::testing;

Matrix matrix(const FormulaExample& e, const std::string& name) {
  const auto rows = e.matrix(name);
  Matrix result{.rows = static_cast<int>(rows.size()),
                .columns = static_cast<int>(rows[0].size()),
                .values = {}};
  for (const auto& row : rows) result.values.insert(result.values.end(), row.begin(), row.end());
  return result;
}

/// Logit e.element() of stage `last`.
WorkedFormula logit_of_stage(std::size_t last) {
  return {[last](const FormulaExample& e) {
    std::vector<MlpStage> stages;
    for (std::size_t i = 0; i < static_cast<std::size_t>(e.integer("heads")); ++i) {
      const std::string stage = std::to_string(i);
      stages.push_back({matrix(e, "E" + stage), matrix(e, "P" + stage), matrix(e, "H" + stage),
                        e.matrix("scale")[i], e.matrix("shift")[i]});
    }
    const std::vector<int> tokens = e.integers("tokens");
    const MlpForwardOptions options{.scale_input = e.integer("scale_input") == 1,
                                    .epsilon = e.number("eps")};
    return mlp_logits(stages, e.list("h0"), std::span(tokens).first(last + 1),
                      options)[e.element()];
  }};
}

double parameters(const FormulaExample& e) {
  return static_cast<double>(mlp_parameters({.base_hidden_size = e.integer("base_hidden_size"),
                                             .vocab = e.integer("vocab"),
                                             .heads = e.integer("heads"),
                                             .inner_size = e.integer("inner_size"),
                                             .tied = e.integer("tied") == 1}));
}

double multiplier(const FormulaExample& e) {
  return learning_rate_multiplier(
      e.integer("step"), {.stage2_start = e.integer("stage2_start"), .total = e.integer("total")});
}

}  // namespace

WorkedFormulas mlp_formulas() {
  return {
      {"mlp_state_weight", {[](const auto& e) { return mlp_state_weight(e.integer("heads")); }}},
      {"mlp_embedding_weight", {[](const auto& e) {
         return mlp_embedding_weight(e.integer("heads"), e.integer("inner_size"));
       }}},
      {"mlp_mix_ratio",
       {[](const auto& e) { return mlp_mix_ratio(e.integer("heads"), e.integer("inner_size")); }}},
      {"mlp_logits_head0", logit_of_stage(0)},
      {"mlp_logits_head1", logit_of_stage(1)},
      {"mlp_parameters", {parameters, Agreement::exact}},
      {"learning_rate_multiplier", {multiplier}},
  };
}

}  // namespace speclab::sim::testing
