#include "experiments/drivers/predict/prediction_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/drivers/predict/text_table.h"

namespace speclab::experiments {
namespace {

std::string number(double value) { return fmt::format("{:.4f}", value); }

std::string with_interval(const IntervalValue& value) {
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

}  // namespace speclab::experiments
