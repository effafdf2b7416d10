#include "experiments/drivers/predict/prediction_tables.h"

#include <array>
#include <nlohmann/json.hpp>

#include "analysis/tables/csv_writer.h"

namespace speclab::experiments {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 20> kColumns = {"speculation_length",
                                                       "tokens_per_round",
                                                       "tokens_per_round_low",
                                                       "tokens_per_round_high",
                                                       "predicted_speedup",
                                                       "predicted_speedup_low",
                                                       "predicted_speedup_high",
                                                       "accepted_fraction",
                                                       "operations_factor",
                                                       "target_reads_per_token",
                                                       "bytes_per_token",
                                                       "trace_tokens_per_round",
                                                       "trace_tokens_per_round_low",
                                                       "trace_tokens_per_round_high",
                                                       "trace_predicted_speedup",
                                                       "trace_predicted_speedup_low",
                                                       "trace_predicted_speedup_high",
                                                       "is_optimum",
                                                       "is_trace_optimum",
                                                       "is_chosen"};

void add(analysis::CsvWriter& csv, const std::optional<IntervalValue>& value) {
  if (!value) {
    csv.missing().missing().missing();
    return;
  }
  csv.field(value->value);
  if (value->interval)
    csv.field(value->low()).field(value->high());
  else
    csv.missing().missing();
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
  analysis::CsvWriter csv(kColumns);
  for (const PredictedLength& at : prediction.lengths) {
    csv.field(std::int64_t{at.speculation_length});
    add(csv, at.tokens_per_round);
    add(csv, at.predicted_speedup);
    csv.field(at.accepted_fraction)
        .field(at.operations_factor)
        .field(at.target_reads_per_token)
        .field(at.bytes_per_token);
    add(csv, at.trace_tokens_per_round);
    add(csv, at.trace_predicted_speedup);
    for (const bool is_named : {is_at(prediction.optimum.at, at),
                                is_at(prediction.trace_optimum, at), is_at(prediction.chosen, at)})
      csv.field(std::int64_t{is_named});
    csv.end_row();
  }
  return csv.content();
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
