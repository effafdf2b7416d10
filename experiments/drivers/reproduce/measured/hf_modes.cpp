// Every mode of generate(), with the settings and prompts of the guide to it: Hugging Face, Text
// generation strategies.

#include <fmt/format.h>

#include "experiments/drivers/config/generation_axis.h"
#include "experiments/drivers/reproduce/measured/measured_run.h"

namespace speclab::experiments {
namespace {

/// A row of hf_generation_modes.csv.
struct GuideCase {
  std::string name, keys, drafter, prompt;

  /// Keys that the sweep has as its axis; temperature is another one.
  std::string generation() const { return keys.substr(0, keys.find(";temperature")); }
  std::string setting() const { return fmt::format("case={};{}", name, keys); }
  /// Whether it gives greedy decoding's text, faster.
  bool is_greedy() const { return keys == "do_sample=false"; }
};

std::vector<GuideCase> guide_cases(const Papers& papers) {
  const analysis::Table table = papers.table("hf_generation_modes.csv");
  std::vector<GuideCase> cases;
  for (std::size_t row = 0; row < table.size(); ++row)
    cases.push_back({table.text(row, "case"), table.optional_text(row, "keys").value_or(""),
                     table.optional_text(row, "drafter").value_or("none"),
                     table.text(row, "prompt")});
  return cases;
}

const analysis::Group& group_of(const MeasuredRun& run, const GuideCase& guide) {
  const auto is_it = [&](const analysis::Group& group) {
    return group.axes.generation == guide.generation() && group.axes.drafter == guide.drafter;
  };
  return group_where(run.pooled(), is_it, guide.setting());
}

/// "case: 'prompt' goes on 'text'", of the guide's own prompt; empty if its text was not kept.
std::string text_remark(const MeasuredRun& run, const GuideCase& guide) {
  for (const analysis::Generation* g : group_of(run, guide).generations)
    if (const std::string text = run.text_of(*g);
        g->prompt_id == "guide_" + guide.name && !text.empty())
      return fmt::format("{}: '{}' goes on '{}'", guide.name, guide.prompt, escaped(text, 400));
  return "";
}

/// The rows and marks of a case. @param config  of the run
void add_case(const MeasuredRun& run, const RunConfig& config, const GuideCase& guide,
              const analysis::Group& greedy, BesideFigure& figure, Reproduction& result) {
  const analysis::Group& group = group_of(run, guide);
  Comparison rate = measured(guide.setting(), "tokens_per_s", run.tokens_per_s(group));
  rate.note = fmt::format("mode {}", generation_of(config, group.axes).mode.name());
  const auto predicted = run.predicted_tokens_per_s(group);
  add_with_prediction(rate, predicted, result);
  const double x = figure.place(guide.name);
  figure.add("measured", x, run.tokens_per_s(group));
  if (predicted) figure.add_theirs("predicted", x, *predicted);
  if (&group == &greedy) return;
  const auto predicted_greedy = run.predicted_tokens_per_s(greedy);
  add_with_prediction(
      measured(guide.setting(), "speed_over_greedy", run.speed_over(greedy, group)),
      predicted && predicted_greedy ? std::optional(*predicted / *predicted_greedy) : std::nullopt,
      result);
  const auto prompts = static_cast<int>(group.summary.n_prompts);
  if (guide.is_greedy())
    result.rows.push_back({.setting = guide.setting(),
                           .quantity = "prompts_with_greedy_text",
                           .ours = static_cast<double>(run.prompts_with_text_of(greedy, group)),
                           .prompts = prompts,
                           .note = fmt::format("of {} prompts", prompts)});
}

}  // namespace

Reproduction hf_modes(const Papers& papers, const RunFolders& folders) {
  const MeasuredRun run(folders.at("hf_modes"));
  const RunConfig config = read_run_config(folders.at("hf_modes") + "/manifest.toml", {});
  BesideFigure figure("hf_modes", "Tokens a second in the modes of the guide to generate()",
                      {.label = ""}, "tokens a second",
                      "Filled: measured, the prompt's reading included, " + run.description() +
                          ", bars 95 % over prompts. Hollow: predicted from timed forwards and "
                          "pilots.");
  const std::vector<GuideCase> cases = guide_cases(papers);
  const analysis::Group& greedy = group_of(run, cases.front());
  Reproduction result;
  for (const GuideCase& guide : cases) add_case(run, config, guide, greedy, figure, result);
  for (const GuideCase& guide : cases)
    if (const std::string text = text_remark(run, guide); !text.empty())
      result.remarks.push_back(text);
  result.figures.push_back(figure.figure());
  result.remarks.push_back(context_remark(
      run.description(), "GPT-2, T5, Pegasus and Pythia; the guide shows texts and no times"));
  return result;
}

}  // namespace speclab::experiments
