// Speculative beams: drafts of every beam verified in one forward. Leviathan et al. 2023, A.4.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "experiments/drivers/modes/mode_summary.h"
#include "experiments/drivers/reproduce/measured/measured_run.h"
#include "experiments/drivers/reproduce/measured/mode_tables.h"
#include "sim/analytic/speculative_beam.h"

namespace speclab::experiments {
namespace {

constexpr const char* kPlain = "plain";
constexpr int kNumBeams = 4;

/// Tokens drafted behind each beam.
struct BeamDraft {
  const char* kind;
  int levels;
  std::string_view tree = "chain";

  bool is_chain() const { return tree == "chain"; }
  /// "ngram:2" of a chain, "ngram:4x1" of a tree.
  std::string name() const {
    return is_chain() ? fmt::format("{}:{}", kind, levels) : fmt::format("{}:{}", kind, tree);
  }
};

constexpr std::array kDrafts{
    BeamDraft{"prompt_lookup", 1},     BeamDraft{"prompt_lookup", 2},
    BeamDraft{"prompt_lookup", 4},     BeamDraft{"ngram", 1},
    BeamDraft{"ngram", 2, "4x1"},      BeamDraft{"small_transformer", 1},
    BeamDraft{"small_transformer", 2}, BeamDraft{"small_transformer", 2, "4x1"}};

ModeTable beam_table(const engines::LoadedModel& loaded, bool quick) {
  const std::string beams = fmt::format("num_beams={0};num_return_sequences={0}", kNumBeams);
  ModeTable table{
      .settings = {.model = kModesModel, .new_tokens = quick ? 24 : 48},
      .cases = {{.name = kPlain, .keys = beams}},
      .prompts = mode_prompts(loaded, {.set = "core", .per_category = quick ? 1 : 2}, "auto"),
      .pilots = requests_of(mode_prompts(loaded, {.set = "pilot", .per_category = 1}, "auto"))};
  for (const BeamDraft& draft : kDrafts)
    table.cases.push_back({.name = draft.name(),
                           .keys = beams,
                           .drafter = {.kind = draft.kind, .tree = std::string(draft.tree)},
                           .draft_length = draft.levels});
  return table;
}

std::string beam_setting(const ModeSummary& summary) {
  return fmt::format("{};drafts={}", summary.keys, summary.name);
}

Comparison same_texts(const ModeSummary& summary) {
  return {.setting = beam_setting(summary),
          .quantity = "prompts_with_equal_beams",
          .ours = static_cast<double>(summary.same_texts),
          .prompts = summary.prompts,
          .note = fmt::format("of {} prompts", summary.prompts)};
}

/// The chain of this name, or nothing: for plain beams, trees and cases of other versions.
const BeamDraft* chain_of(const std::string& name) {
  const auto draft = std::ranges::find_if(
      kDrafts, [&](const BeamDraft& at) { return at.is_chain() && at.name() == name; });
  return draft == kDrafts.end() ? nullptr : &*draft;
}

/// How often the drafts of one level held every beam, by drafter. A search that goes on behind the
/// end of its texts has fewer tokens than steps, which tells no such rate.
std::map<std::string, double> inclusion_rates(const std::vector<ModeSummary>& summaries) {
  std::map<std::string, double> rates;
  for (const ModeSummary& summary : summaries)
    if (const BeamDraft* chain = chain_of(summary.name); chain && chain->levels == 1)
      if (const double rate = summary.tokens_per_step - 1.0; rate >= 0 && rate <= 1)
        rates[chain->kind] = rate;
  return rates;
}

/// The appendix's numbers for a chain, if its steps stand as often as those of one level did.
void add_appendix(const ModeSummary& summary, const std::map<std::string, double>& rates,
                  Reproduction& result) {
  const BeamDraft* const chain = chain_of(summary.name);
  if (!chain || !rates.contains(chain->kind)) return;
  const double rate = rates.at(chain->kind);
  const sim::BeamRound round{
      .beam_width = kNumBeams, .draft_beam_width = kNumBeams, .speculation_length = chain->levels};
  const auto add = [&](const char* quantity, double value) {
    result.rows.push_back(
        {.setting = beam_setting(summary),
         .quantity = quantity,
         .ours = value,
         .source = "leviathan2023",
         .locator = "Appendix A.4",
         .note = fmt::format("inclusion rate {:.4g}, from drafts of one token", rate)});
  };
  add("appendix_tokens_per_step", sim::beam_steps_per_round(rate, chain->levels));
  add("appendix_rows_per_step", static_cast<double>(sim::beam_target_runs_per_round(round)));
  add("appendix_operations_factor", sim::beam_operations_factor(rate, round));
  add("appendix_speedup_bound", sim::beam_speedup_bound(rate, chain->levels, 0.0));
}

}  // namespace

void measure_leviathan_beam(const Papers&, const std::string& folder, bool quick) {
  measure_modes_once(folder,
                     [&](const engines::LoadedModel& loaded) { return beam_table(loaded, quick); });
}

Reproduction leviathan_beam(const Papers&, const RunFolders& folders) {
  const std::vector<analysis::ModeRow> rows =
      analysis::read_modes(modes_file(folders.at("leviathan_beam")));
  BesideFigure figure("leviathan_beam", "Speed-up of beam search by its drafts", {.label = ""},
                      "speed-up over plain beams",
                      "Filled: measured, four beams, " + description_of(rows) +
                          ", bars 95 % over prompts. Hollow: predicted from timed forwards and "
                          "pilots.");
  Reproduction result;
  const std::vector<ModeSummary> summaries = summarise(rows, kPlain);
  const std::map<std::string, double> rates = inclusion_rates(summaries);
  for (const ModeSummary& summary : summaries) {
    if (!summary.speedup) continue;
    const std::string setting = beam_setting(summary);
    add_with_prediction(measured(setting, "speedup", *summary.speedup), summary.predicted_speedup,
                        result);
    result.rows.push_back(
        {.setting = setting, .quantity = "tokens_per_step", .ours = summary.tokens_per_step});
    result.rows.push_back(
        {.setting = setting, .quantity = "rows_per_step", .ours = summary.rows_per_step});
    result.rows.push_back({.setting = setting,
                           .quantity = "accepted_fraction",
                           .ours = summary.accepted_fraction.value_or(0)});
    result.rows.push_back(same_texts(summary));
    add_appendix(summary, rates, result);
    const double x = figure.place(summary.name);
    figure.add("measured", x, *summary.speedup);
    figure.add_theirs("predicted", x, *summary.predicted_speedup);
  }
  result.figures.push_back(figure.figure());
  result.remarks.push_back(
      context_remark(description_of(rows) + ", revision " + rows.front().revision,
                     "the appendix says how beams and drafts fit together, and measures nothing"));
  return result;
}

}  // namespace speclab::experiments
