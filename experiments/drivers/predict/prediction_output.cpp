#include "experiments/drivers/predict/prediction_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "analysis/tables/predictions.h"
#include "experiments/drivers/predict/text_table.h"

namespace speclab::experiments {
namespace {

std::string number(double value) { return fmt::format("{:.4f}", value); }

std::string with_interval(const analysis::Estimate& value) {
  return value.interval
             ? fmt::format("{:.4f} [{:.4f}, {:.4f}]", value.value, value.low(), value.high())
             : number(value.value);
}

std::string table_of(const Prediction& prediction) {
  const PredictedLength& first = prediction.lengths.front();
  TextTable table({"length", "tokens/round", "speed-up", "operations", "target reads/token",
                   "accepted/drafted"});
  if (first.bytes_per_token) table.add_column("bytes/token");
  if (first.trace_tokens_per_round)
    table.add_column("tokens/round by position"), table.add_column("speed-up by position");
  for (const PredictedLength& at : prediction.lengths) {
    std::vector<std::string> row{
        fmt::format(
            "{}{}", at.speculation_length,
            at.speculation_length == prediction.optimum.at.speculation_length ? " *" : "  "),
        with_interval(at.tokens_per_round),
        with_interval(at.predicted_speedup),
        number(at.operations_factor),
        number(at.target_reads_per_token),
        at.accepted_fraction ? number(*at.accepted_fraction) : "-"};
    if (first.bytes_per_token) row.push_back(fmt::format("{:.4g}", *at.bytes_per_token));
    for (const auto& value : {at.trace_tokens_per_round, at.trace_predicted_speedup})
      if (first.trace_tokens_per_round) row.push_back(value ? with_interval(*value) : "-");
    table.add_row(std::move(row));
  }
  return table.text();
}

std::string optimum_text(const Optimum& optimum) {
  const int best = optimum.at.speculation_length;
  const std::string range = optimum.lowest
                                ? fmt::format(" [{}, {}{}]", *optimum.lowest, *optimum.highest,
                                              optimum.is_highest_at_longest ? " or more" : "")
                                : "";
  if (best == 0)
    return fmt::format("optimum  0{}: nothing drafted; no length pays at these costs\n", range);
  return fmt::format(
      "optimum  {}{}: {} tokens a round, predicted speed-up {}{}\n", best, range,
      with_interval(optimum.at.tokens_per_round), with_interval(optimum.at.predicted_speedup),
      optimum.is_at_longest ? "; the longest length looked at, a longer one may be better" : "");
}

std::string tree_text(const PredictedTree& tree) {
  if (tree.nodes == 1)
    return fmt::format("tree     none pays at these costs ({})\n", tree.assumption);
  std::string text = fmt::format(
      "tree     {} nodes on {} levels, root included: {:.4f} tokens a round, predicted speed-up {} "
      "({})\n         {}\n",
      tree.nodes, tree.levels, tree.tokens_per_round, with_interval(tree.predicted_speedup),
      tree.assumption, tree.parents);
  if (tree.chain_tokens_per_round)
    text += fmt::format(
        "         a chain of as many nodes: {:.4f} tokens a round; this tree by the ranks alone: "
        "{:.4f}\n",
        *tree.chain_tokens_per_round, *tree.rank_tokens_per_round);
  return text;
}

using nlohmann::ordered_json;

void add(ordered_json& object, const char* name, const analysis::Estimate& value) {
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

analysis::Point point(int x, const analysis::Estimate& y) {
  return {.x = static_cast<double>(x), .y = y.value, .interval = y.interval};
}

}  // namespace

std::string prediction_text(const Prediction& prediction) {
  std::string text =
      fmt::format("acceptance rate {}: {}\ncosts {}\n", with_interval(prediction.acceptance_rate),
                  prediction.acceptance_source, prediction.cost_source);
  for (const std::string& note : prediction.notes) text += "note: " + note + "\n";
  text += "\n" + table_of(prediction) + "\n";
  if (!prediction.counts_draft_operations)
    text += "operations are the target's alone; --draft-operations-ratio adds the draft's\n";
  text += optimum_text(prediction.optimum);
  if (prediction.trace_optimum)
    text += fmt::format(
        "by position in the trace, lengths up to {}: optimum {}, {} tokens a round, predicted "
        "speed-up {}\n",
        prediction.trace_optimum_reach, prediction.trace_optimum->speculation_length,
        with_interval(*prediction.trace_optimum->trace_tokens_per_round),
        with_interval(*prediction.trace_optimum->trace_predicted_speedup));
  if (prediction.chosen)
    text += fmt::format("length {}: {} tokens a round, predicted speed-up {}\n",
                        prediction.chosen->speculation_length,
                        with_interval(prediction.chosen->tokens_per_round),
                        with_interval(prediction.chosen->predicted_speedup));
  if (prediction.tree) text += tree_text(*prediction.tree);
  for (const Answer& answer : prediction.answers)
    text += fmt::format("{:<8} {}\n", answer.name, answer.text);
  if (prediction.has_interval)
    text += "In brackets: all that the inputs' intervals allow, taken together.\n";
  return text;
}

std::string prediction_csv(const Prediction& prediction) {
  std::vector<analysis::PredictedLengthRow> rows;
  for (const PredictedLength& at : prediction.lengths)
    rows.push_back({.speculation_length = at.speculation_length,
                    .tokens_per_round = at.tokens_per_round,
                    .predicted_speedup = at.predicted_speedup,
                    .accepted_fraction = at.accepted_fraction,
                    .operations_factor = at.operations_factor,
                    .target_reads_per_token = at.target_reads_per_token,
                    .bytes_per_token = at.bytes_per_token,
                    .trace_tokens_per_round = at.trace_tokens_per_round,
                    .trace_predicted_speedup = at.trace_predicted_speedup,
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

analysis::Figure prediction_figure(const Prediction& prediction) {
  analysis::Figure figure{.id = "prediction",
                          .title = "Predicted speed-up over the speculation length",
                          .caption = "",
                          .x = {.label = "speculation length, tokens"},
                          .y = {.label = "tokens a round; ratio to plain decoding"},
                          .reference = analysis::ReferenceLine{.y = 1.0, .name = "plain decoding"}};
  figure.series = {{.name = "tokens a round", .colour = 1},
                   {.name = "predicted speed-up", .colour = 2}};
  if (prediction.trace_optimum)
    for (const char* name : {"tokens a round by position", "speed-up by position"})
      figure.series.push_back({.name = name, .colour = figure.series.size() + 1});
  for (const PredictedLength& at : prediction.curve) {
    figure.series[0].points.push_back(point(at.speculation_length, at.tokens_per_round));
    figure.series[1].points.push_back(point(at.speculation_length, at.predicted_speedup));
    if (at.trace_tokens_per_round)
      figure.series[2].points.push_back(point(at.speculation_length, *at.trace_tokens_per_round));
    if (at.trace_predicted_speedup)
      figure.series[3].points.push_back(point(at.speculation_length, *at.trace_predicted_speedup));
  }
  figure.caption =
      fmt::format("Acceptance rate {:.4g} ({}); costs: {}. The best length is {}.{}",
                  prediction.acceptance_rate.value, prediction.acceptance_source,
                  prediction.cost_source, prediction.optimum.at.speculation_length,
                  prediction.has_interval ? " Bars: all that the inputs' intervals allow." : "");
  for (const std::string& origin : prediction.origins) figure.caption += " " + origin;
  return figure;
}

}  // namespace speclab::experiments
