// The levers on latency that the first article names: smaller weights, weights beyond memory,
// batches, and assistance on each of them. Hugging Face 2023.

#include <fmt/format.h>

#include <list>

#include "experiments/drivers/reproduce/measured/measured_run.h"
#include "sim/policies/policy_registry.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// The article's word for a form of the weights.
std::string lever_of(const Setting& axes) {
  if (axes.weights == "q8") return "int8";
  if (axes.weights == "file") return axes.activations == "exact" ? "4-bit exact" : "4-bit";
  return axes.weights;
}

int draft_length_of(const Setting& axes) {
  return axes.is_plain() ? 0 : make_policy(axes.policy)->longest().value_or(0);
}

std::string setting_of(const Setting& axes) {
  return fmt::format("model={};lever={};batch={};draft_length={}", axes.model, lever_of(axes),
                     axes.batch, draft_length_of(axes));
}

/// The gain of assistance alone with bfloat16, int8 and streamed weights.
std::optional<Comparison> assisted_claim(const analysis::Table& claims,
                                         const analysis::Group& group) {
  if (group.axes.batch != 1 || !group.summary.speedup) return std::nullopt;
  const Comparison ours = measured(setting_of(group.axes), "speedup", *group.summary.speedup);
  const std::string round = fmt::format("ours at {:.2f} tokens a round",
                                        needed(group.summary.tokens_per_round, "rounds").value);
  const std::string lever = lever_of(group.axes);
  if (lever == "bfloat16")
    return beside_claim(claims, ours, "speedup_max_ratio",
                        "theirs: greedy, the upper end; " + round);
  if (lever == "int8")
    return beside_claim(claims, ours, "speedup_int8_max_ratio",
                        "theirs: greedy, the upper end with int8 weights; " + round);
  if (lever == "streamed")
    return beside_claim(claims, ours, "speedup_offload_max_ratio",
                        "theirs: greedy, the upper end off-loaded; " + round);
  Comparison only = ours;
  only.note = "no claim of theirs; " + round;
  return only;
}

/// The gain of plain decoding in a batch over the same prompts alone.
std::optional<Comparison> batch_claim(const analysis::Table& claims, const MeasuredRun& run,
                                      const analysis::Group& group) {
  if (group.axes.batch == 1 || !group.axes.is_plain()) return std::nullopt;
  Setting alone = group.axes;
  alone.batch = 1;
  const analysis::Group& one = group_where(
      run.pooled(), [&](const analysis::Group& other) { return other.axes == alone; },
      setting_of(alone));
  const Comparison ours =
      measured(setting_of(group.axes), "batch_gain_ratio", run.speed_over(one, group));
  if (lever_of(group.axes) != "bfloat16") return ours;
  return beside_claim(claims, ours, "distilgpt2_batch_gain_ratio",
                      "theirs: distilgpt2 in a batch of 64 on an RTX 3090");
}

/// The speeds of a group, as rows and marks.
void add_speed(const MeasuredRun& run, const analysis::Group& group, BesideFigure& figure,
               Reproduction& result) {
  const auto predicted = run.predicted_tokens_per_s(group);
  add_with_prediction(measured(setting_of(group.axes), "tokens_per_s", run.tokens_per_s(group)),
                      predicted, result);
  const std::string company =
      group.axes.batch == 1 ? "alone" : fmt::format("batch {}", group.axes.batch);
  const std::string series =
      fmt::format("{}, {}", group.axes.is_plain() ? "plain" : "assisted", company);
  const double x = figure.place(fmt::format("{}, {}", group.axes.model, lever_of(group.axes)));
  figure.add(series, x, run.tokens_per_s(group));
  if (predicted) figure.add_theirs(series, x, *predicted);
}

}  // namespace

Reproduction latency_levers(const Papers& papers, const RunFolders& folders) {
  const analysis::Table claims = papers.table("hf_assisted_generation.csv");
  std::list<MeasuredRun> runs;
  std::string descriptions;
  for (const auto& [name, folder] : folders) {
    runs.emplace_back(folder);
    descriptions += (descriptions.empty() ? "" : " and ") + runs.back().description();
  }
  BesideFigure figure("latency_levers", "Tokens a second under each lever", {.label = ""},
                      "tokens a second",
                      fmt::format("Filled: measured, the prompts' reading included, {}, bars 95 % "
                                  "over prompts, or over batches. Hollow: predicted from timed "
                                  "forwards and the rounds of pilots. Greedy; assisted by prompt "
                                  "lookup.",
                                  descriptions));
  Reproduction result, speeds;
  for (const MeasuredRun& run : runs) {
    const auto is_usual = [](const analysis::Group& group) {
      return group.axes.is_plain() && group.axes.batch == 1 && group.axes.weights == "bfloat16";
    };
    group_where(run.pooled(), is_usual, "plain decoding with bfloat16");
    for (const analysis::Group& group : run.pooled()) {
      if (const auto found = assisted_claim(claims, group)) result.rows.push_back(*found);
      if (const auto found = batch_claim(claims, run, group)) result.rows.push_back(*found);
      add_speed(run, group, figure, speeds);
    }
  }
  result.rows.insert(result.rows.end(), speeds.rows.begin(), speeds.rows.end());
  analysis::Figure drawn = figure.figure();
  drawn.y.scale = analysis::Scale::logarithmic;
  result.figures.push_back(std::move(drawn));
  result.remarks.push_back(
      context_remark(fmt::format("greedy decoding of {}", descriptions),
                     "OPT and other pairs in PyTorch, an RTX 3090 and others"));
  return result;
}

}  // namespace speclab::experiments
