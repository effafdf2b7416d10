// Every mode of generate(), with the settings and prompts of the guide to it: Hugging Face, Text
// generation strategies.

#include <fmt/format.h>

#include <algorithm>

#include "experiments/drivers/modes/mode_summary.h"
#include "experiments/drivers/prompts/chat_prompt.h"
#include "experiments/drivers/reproduce/measured/measured_run.h"
#include "experiments/drivers/reproduce/measured/mode_tables.h"

namespace speclab::experiments {
namespace {

constexpr const char* kNoTemplate = "off";  ///< the guide has no chat
constexpr const char* kGreedy = "greedy_search";
constexpr const char* kGreedyKeys = "do_sample=false";
constexpr int kDraftLength = 4;

ModeTable guide_table(const Papers& papers, const engines::LoadedModel& loaded, bool quick) {
  const PromptSelection pilots{.set = "pilot", .categories = {"chat"}, .per_category = 3};
  ModeTable table{.settings = {.model = kModesModel, .new_tokens = quick ? 20 : 50},
                  .cases = {},
                  .prompts = {},
                  .pilots = requests_of(mode_prompts(loaded, pilots, kNoTemplate))};
  for (const GuideCase& guide : guide_cases(papers)) {
    table.cases.push_back(guide.decoding);
    if (std::ranges::find(table.prompts, guide.prompt, &ModePrompt::id) == table.prompts.end())
      table.prompts.push_back({guide.prompt,
                               {static_cast<std::uint32_t>(table.prompts.size()),
                                chat_prompt_ids(*loaded.tokenizer, guide.prompt, kNoTemplate)}});
  }
  return table;
}

std::string guide_setting(const ModeSummary& summary) {
  return fmt::format("case={}{}{}", summary.name, summary.keys.empty() ? "" : ";", summary.keys);
}

/// The text that the guide's own prompt got.
std::string text_remark(const std::vector<analysis::ModeRow>& rows, const GuideCase& guide) {
  const auto row = std::ranges::find_if(rows, [&](const analysis::ModeRow& r) {
    return r.name == guide.decoding.name && r.prompt == guide.prompt;
  });
  if (row == rows.end()) return "";
  return fmt::format("{}: '{}' goes on '{}'", guide.decoding.name, guide.prompt, row->text);
}

void add_mode_rows(const std::vector<ModeSummary>& summaries, BesideFigure& figure,
                   Reproduction& result) {
  for (const ModeSummary& summary : summaries) {
    Comparison rate = measured(guide_setting(summary), "tokens_per_s", summary.tokens_per_s);
    rate.note = "mode " + summary.mode;
    add_with_prediction(rate, summary.predicted_tokens_per_s, result);
    const double x = figure.place(summary.name);
    figure.add("measured", x, summary.tokens_per_s);
    figure.add_theirs("predicted", x, summary.predicted_tokens_per_s);
    if (!summary.speedup) continue;
    add_with_prediction(measured(guide_setting(summary), "speed_over_greedy", *summary.speedup),
                        summary.predicted_speedup, result);
    if (summary.keys == kGreedyKeys)
      result.rows.push_back({.setting = guide_setting(summary),
                             .quantity = "prompts_with_greedy_text",
                             .ours = static_cast<double>(summary.same_texts),
                             .prompts = summary.prompts,
                             .note = fmt::format("of {} prompts", summary.prompts)});
  }
}

}  // namespace

std::vector<GuideCase> guide_cases(const Papers& papers) {
  const analysis::Table table = papers.table("hf_generation_modes.csv");
  std::vector<GuideCase> cases;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string drafter = table.optional_text(row, "drafter").value_or("plain");
    cases.push_back({.decoding = {.name = table.text(row, "case"),
                                  .keys = table.optional_text(row, "keys").value_or(""),
                                  .drafter = {.kind = drafter},
                                  .draft_length = drafter == "plain" ? 0 : kDraftLength},
                     .prompt = table.text(row, "prompt")});
  }
  return cases;
}

void measure_hf_modes(const Papers& papers, const std::string& folder, bool quick) {
  measure_modes_once(folder, [&](const engines::LoadedModel& loaded) {
    return guide_table(papers, loaded, quick);
  });
}

Reproduction hf_modes(const Papers& papers, const RunFolders& folders) {
  const std::vector<analysis::ModeRow> rows =
      analysis::read_modes(modes_file(folders.at("hf_modes")));
  BesideFigure figure("hf_modes", "Tokens a second in the modes of the guide to generate()",
                      {.label = ""}, "tokens a second",
                      "Filled: measured, " + description_of(rows) +
                          ", bars 95 % over prompts. Hollow: predicted from timed forwards and "
                          "pilots.");
  Reproduction result;
  add_mode_rows(summarise(rows, kGreedy), figure, result);
  for (const GuideCase& guide : guide_cases(papers))
    if (const std::string text = text_remark(rows, guide); !text.empty())
      result.remarks.push_back(text);
  result.figures.push_back(figure.figure());
  result.remarks.push_back(
      context_remark(description_of(rows) + ", revision " + rows.front().revision,
                     "GPT-2, T5, Pegasus and Pythia; the guide shows texts and no times"));
  return result;
}

}  // namespace speclab::experiments
