#include "experiments/drivers/predict/prediction_tables.h"

#include <nlohmann/json.hpp>

#include "analysis/tables/predictions.h"

namespace speclab::experiments {
namespace {

using nlohmann::ordered_json;

analysis::Estimate estimate_of(const IntervalValue& value) {
  return {.value = value.value, .interval = value.interval};
}

std::optional<analysis::Estimate> estimate_of(const std::optional<IntervalValue>& value) {
  return value ? std::optional(estimate_of(*value)) : std::nullopt;
}

void add(ordered_json& object, const char* name, const IntervalValue& value) {
  object[name] = value.value;
  if (!value.interval) return;
  object[std::string(name) + "_low"] = value.low();
  object[std::string(name) + "_high"] = value.high();
}

bool is_at(const std::optional<PredictedLength>& named, const PredictedLength& row) {
  return named && named->speculation_length == row.speculation_length;
}

ordered_json json_of(const PredictedTree& tree) {
  ordered_json object{
      {"nodes", tree.nodes}, {"levels", tree.levels}, {"tokens_per_round", tree.tokens_per_round}};
  add(object, "predicted_speedup", tree.predicted_speedup);
  if (tree.rank_tokens_per_round) object["rank_tokens_per_round"] = *tree.rank_tokens_per_round;
  if (tree.chain_tokens_per_round) object["chain_tokens_per_round"] = *tree.chain_tokens_per_round;
  object["tree"] = tree.parents;
  object["assumption"] = tree.assumption;
  return object;
}

ordered_json json_of(const PredictedLength& at, const char* length_name) {
  ordered_json object;
  object[length_name] = at.speculation_length;
  add(object, "predicted_speedup", at.predicted_speedup);
  add(object, "tokens_per_round", at.tokens_per_round);
  if (at.accepted_fraction) object["accepted_fraction"] = *at.accepted_fraction;
  object["operations_factor"] = at.operations_factor;
  object["target_reads_per_token"] = at.target_reads_per_token;
  if (at.bytes_per_token) object["bytes_per_token"] = *at.bytes_per_token;
  if (at.trace_tokens_per_round) add(object, "trace_tokens_per_round", *at.trace_tokens_per_round);
  if (at.trace_predicted_speedup)
    add(object, "trace_predicted_speedup", *at.trace_predicted_speedup);
  return object;
}

ordered_json json_of(const Optimum& optimum) {
  ordered_json object = json_of(optimum.at, "optimal_speculation_length");
  if (optimum.lowest) object["optimal_speculation_length_low"] = *optimum.lowest;
  if (optimum.highest) object["optimal_speculation_length_high"] = *optimum.highest;
  object["is_at_longest"] = optimum.is_at_longest;
  if (optimum.highest) object["is_high_at_longest"] = optimum.is_highest_at_longest;
  return object;
}

ordered_json json_of(const Answer& answer) {
  ordered_json object;
  for (const AnswerValue& value : answer.values)
    std::visit([&](auto held) { object[value.name] = held; }, value.value);
  return object;
}

}  // namespace

std::string prediction_csv(const Prediction& prediction) {
  std::vector<analysis::PredictedLengthRow> rows;
  for (const PredictedLength& at : prediction.lengths)
    rows.push_back({.speculation_length = at.speculation_length,
                    .tokens_per_round = estimate_of(at.tokens_per_round),
                    .predicted_speedup = estimate_of(at.predicted_speedup),
                    .accepted_fraction = at.accepted_fraction,
                    .operations_factor = at.operations_factor,
                    .target_reads_per_token = at.target_reads_per_token,
                    .bytes_per_token = at.bytes_per_token,
                    .trace_tokens_per_round = estimate_of(at.trace_tokens_per_round),
                    .trace_predicted_speedup = estimate_of(at.trace_predicted_speedup),
                    .is_optimum = is_at(prediction.optimum.at, at),
                    .is_trace_optimum = is_at(prediction.trace_optimum, at),
                    .is_chosen = is_at(prediction.chosen, at)});
  return analysis::predicted_lengths_table().csv(rows);
}

std::string prediction_json(const Prediction& prediction) {
  ordered_json object;
  add(object, "acceptance_rate", prediction.acceptance_rate);
  object["acceptance_source"] = prediction.acceptance_source;
  object["cost_source"] = prediction.cost_source;
  object["notes"] = prediction.notes;
  object["optimum"] = json_of(prediction.optimum);
  if (prediction.trace_optimum)
    object["trace_optimum"] = json_of(*prediction.trace_optimum, "optimal_speculation_length");
  if (prediction.chosen) object["chosen"] = json_of(*prediction.chosen, "speculation_length");
  if (prediction.tree) object["tree"] = json_of(*prediction.tree);
  for (const Answer& answer : prediction.answers) object[answer.name] = json_of(answer);
  object["lengths"] = ordered_json::array();
  for (const PredictedLength& at : prediction.lengths)
    object["lengths"].push_back(json_of(at, "speculation_length"));
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace speclab::experiments
