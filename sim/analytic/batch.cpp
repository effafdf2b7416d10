#include "sim/analytic/batch.h"

#include <cmath>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

/// @param model  of the setting
double forward_ms(const ModelShape& model, const BatchSetting& setting, int rows_each) {
  expect_at_least(1, setting.batch, "batch");
  return forward_time_ms(
      model, setting.device,
      {.batch = setting.batch, .rows = setting.batch * rows_each, .context = setting.context});
}

double round_ms(const BatchDraft& draft, const BatchSetting& setting) {
  double total = forward_ms(setting.target, setting, draft.verify_rows);
  for (const int rows : draft.rows_of_forward) total += forward_ms(setting.draft, setting, rows);
  return total;
}

/// P(a round emits more than k tokens), k = 0 ... γ.
std::vector<double> more_than(double acceptance_rate, int speculation_length) {
  expect_probability(acceptance_rate, "acceptance_rate");
  expect_at_least(0, speculation_length, "speculation_length");
  std::vector<double> chances{1.0};
  for (int k = 1; k <= speculation_length; ++k) chances.push_back(chances.back() * acceptance_rate);
  return chances;
}

}  // namespace

BatchDraft BatchDraft::chain(int speculation_length) {
  return tree(TreeShape::chain(speculation_length));
}

BatchDraft BatchDraft::tree(const TreeShape& shape) {
  BatchDraft draft{.rows_of_forward = {}, .verify_rows = shape.num_nodes() + 1};
  std::vector<int> depth{0};
  for (const int parent : shape.parents()) {
    const int parent_depth = depth[static_cast<std::size_t>(parent)];
    depth.push_back(parent_depth + 1);
    if (draft.rows_of_forward.size() == static_cast<std::size_t>(parent_depth))
      draft.rows_of_forward.push_back(0);
  }
  for (const int level : depth)
    if (static_cast<std::size_t>(level) < draft.rows_of_forward.size())
      ++draft.rows_of_forward[static_cast<std::size_t>(level)];
  return draft;
}

RelativeCosts batch_costs(const BatchSetting& setting, int speculation_length) {
  expect_at_least(0, speculation_length, "speculation_length");
  const double plain_ms = forward_ms(setting.target, setting, 1);
  return {
      .cost_ratio = forward_ms(setting.draft, setting, 1) / plain_ms,
      .verify_cost_ratio = forward_ms(setting.target, setting, speculation_length + 1) / plain_ms};
}

double predicted_batch_speedup(double acceptance_rate, int speculation_length,
                               const BatchSetting& setting) {
  return predicted_speedup(acceptance_rate, speculation_length,
                           batch_costs(setting, speculation_length));
}

double predicted_batch_speedup(double tokens, const BatchDraft& draft,
                               const BatchSetting& setting) {
  SPECLAB_EXPECT(
      tokens >= 1.0 && tokens <= draft.verify_rows,
      "tokens_per_round = " + std::to_string(tokens) + "; allowed: 1 to the verified rows");
  return tokens * forward_ms(setting.target, setting, 1) / round_ms(draft, setting);
}

std::optional<int> crossover_batch(double tokens, const BatchDraft& draft,
                                   const BatchSetting& setting, int max_batch) {
  expect_at_least(1, max_batch, "max_batch");
  BatchSetting served = setting;
  for (served.batch = 1; served.batch <= max_batch; ++served.batch)
    if (predicted_batch_speedup(tokens, draft, served) <= 1.0) return served.batch;
  return std::nullopt;
}

double batched_round_tokens_mean_max(double acceptance_rate, int speculation_length, int batch) {
  expect_at_least(1, batch, "batch");
  double tokens = 0.0;
  for (const double chance : more_than(acceptance_rate, speculation_length))
    tokens += -std::expm1(batch * std::log1p(-chance));
  return tokens;
}

double batched_round_tokens_mean_min(double acceptance_rate, int speculation_length, int batch) {
  expect_probability(acceptance_rate, "acceptance_rate");
  expect_at_least(1, batch, "batch");
  return tokens_per_round(std::pow(acceptance_rate, batch), speculation_length);
}

double padding_waste_ratio(double acceptance_rate, int speculation_length, int batch) {
  return 1.0 - tokens_per_round(acceptance_rate, speculation_length) /
                   batched_round_tokens_mean_max(acceptance_rate, speculation_length, batch);
}

}  // namespace speclab::sim
