// Speculative beams: drafts of every beam verified in one forward. Leviathan et al. 2023, A.4.

#include <fmt/format.h>

#include <map>
#include <string>

#include "experiments/drivers/reproduce/measured/measured_run.h"
#include "sim/analytic/other_forms.h"
#include "sim/policies/policy_registry.h"

namespace speclab::experiments {
namespace {

constexpr int kNumBeams = 4;

bool is_chain(const analysis::Group& group) { return group.axes.tree == "chain"; }

int levels_of(const analysis::Group& group) {
  return make_policy(group.axes.policy)->longest().value_or(0);
}

/// "prompt_lookup:2" of a chain, "ngram:4x1" of a tree.
std::string drafts_of(const analysis::Group& group) {
  return is_chain(group) ? fmt::format("{}:{}", group.axes.drafter, levels_of(group))
                         : fmt::format("{}:{}", group.axes.drafter, group.axes.tree);
}

std::string setting_of(const analysis::Group& group) {
  return fmt::format("{};drafts={}", group.axes.generation, drafts_of(group));
}

double tokens_per_step(const analysis::Group& group) {
  return needed(group.summary.tokens_per_round, "steps").value;
}

/// How often the drafts of one level held every beam, by drafter. A search that goes on behind the
/// end of its texts has fewer tokens than steps, which tells no such rate.
std::map<std::string, double> inclusion_rates(const std::vector<analysis::Group>& groups) {
  std::map<std::string, double> rates;
  for (const analysis::Group& group : groups)
    if (!group.axes.is_plain() && is_chain(group) && levels_of(group) == 1)
      if (const double rate = tokens_per_step(group) - 1.0; rate >= 0 && rate <= 1)
        rates[group.axes.drafter] = rate;
  return rates;
}

/// The appendix's numbers for a chain, if its steps stand as often as those of one level did.
void add_appendix(const analysis::Group& group, const std::map<std::string, double>& rates,
                  Reproduction& result) {
  if (!is_chain(group) || !rates.contains(group.axes.drafter)) return;
  const double rate = rates.at(group.axes.drafter);
  const int levels = levels_of(group);
  const sim::BeamRound round{
      .beam_width = kNumBeams, .draft_beam_width = kNumBeams, .speculation_length = levels};
  const auto add = [&](const char* quantity, double value) {
    result.rows.push_back(
        {.setting = setting_of(group),
         .quantity = quantity,
         .ours = value,
         .source = "leviathan2023",
         .locator = "Appendix A.4",
         .note = fmt::format("inclusion rate {:.4g}, from drafts of one token", rate)});
  };
  add("appendix_tokens_per_step", sim::beam_steps_per_round(rate, levels));
  add("appendix_rows_per_step", static_cast<double>(sim::beam_target_runs_per_round(round)));
  add("appendix_operations_factor", sim::beam_operations_factor(rate, round));
  add("appendix_speedup_bound", sim::beam_speedup_bound(rate, levels, 0.0));
}

/// The measured rows of some drafts. @param plain  the same beams without drafts
void add_drafts(const MeasuredRun& run, const analysis::Group& plain, const analysis::Group& group,
                Reproduction& result) {
  const std::string setting = setting_of(group);
  const analysis::GroupSummary& summary = group.summary;
  add_with_prediction(measured(setting, "speedup", needed(summary.speedup, "plain beams")),
                      summary.prediction.speedup, result);
  const auto add = [&](const char* quantity, double value) {
    result.rows.push_back({.setting = setting, .quantity = quantity, .ours = value});
  };
  add("tokens_per_step", tokens_per_step(group));
  add("rows_per_step", run.rows_per_round(group));
  add("accepted_fraction", summary.accepted_fraction.value_or(0));
  add("prompts_with_equal_beams", run.prompts_with_text_of(plain, group));
  result.rows.back().prompts = static_cast<int>(summary.n_prompts);
  result.rows.back().note = fmt::format("of {} prompts", summary.n_prompts);
}

}  // namespace

Reproduction leviathan_beam(const Papers&, const RunFolders& folders) {
  const MeasuredRun run(folders.at("leviathan_beam"));
  BesideFigure figure("leviathan_beam", "Speed-up of beam search by its drafts", {.label = ""},
                      "speed-up over plain beams",
                      "Filled: measured, four beams, " + run.description() +
                          ", bars 95 % over prompts. Hollow: predicted from timed forwards and "
                          "pilots.");
  Reproduction result;
  const analysis::Group& plain = group_where(
      run.pooled(), [](const analysis::Group& group) { return group.axes.is_plain(); },
      "beams without drafts");
  const std::map<std::string, double> rates = inclusion_rates(run.pooled());
  for (const analysis::Group& group : run.pooled()) {
    if (group.axes.is_plain()) continue;
    add_drafts(run, plain, group, result);
    add_appendix(group, rates, result);
    const double x = figure.place(drafts_of(group));
    figure.add("measured", x, needed(group.summary.speedup, "plain beams"));
    if (const auto& predicted = group.summary.prediction.speedup)
      figure.add_theirs("predicted", x, *predicted);
  }
  result.figures.push_back(figure.figure());
  result.remarks.push_back(
      context_remark(run.description(),
                     "the appendix says how beams and drafts fit together, and measures nothing"));
  return result;
}

}  // namespace speclab::experiments
