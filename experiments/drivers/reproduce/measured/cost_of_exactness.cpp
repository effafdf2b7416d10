// The price of the target's law if the drafter has another tokenizer: every bridge between two
// vocabularies, prediction beside measurement.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/drivers/reproduce/measured/crossings.h"
#include "experiments/drivers/reproduce/measured/measured_run.h"

namespace speclab::experiments {
namespace {

void add_rows(const MeasuredRun& run, const Crossing& crossing, Reproduction& result) {
  const analysis::GroupSummary& summary = crossing.group->summary;
  const std::string setting = crossing.setting();
  const auto add = [&](const char* quantity, const analysis::Estimate& ours,
                       const std::optional<double>& predicted = std::nullopt) {
    add_with_prediction(measured(setting, quantity, ours), predicted, result);
  };
  add("acceptance_rate", needed(summary.acceptance_rate, "drafts under " + setting),
      summary.prediction.acceptance_rate);
  add("tokens_per_round", needed(summary.tokens_per_round, "rounds under " + setting),
      summary.prediction.tokens_per_round);
  add("draft_tokens_per_round", draft_tokens_per_round(run, crossing));
  add("spelling_share_of_time", spelling_share(run, crossing));
  add("speedup", needed(summary.speedup, "plain generations beside " + setting),
      summary.prediction.speedup);
  if (crossing.temperature() == 0) result.rows.push_back(other_texts(crossing));
}

/// Vocabularies of a pair of models.
void add_overlap(const MeasuredRun& run, const Crossing& crossing, Reproduction& result) {
  const VocabularyOverlap& overlap = crossing.overlap;
  const auto share = [&](const char* quantity, std::int64_t all) {
    result.rows.push_back({.setting = crossing.pair(),
                           .quantity = quantity,
                           .ours = static_cast<double>(overlap.shared) / static_cast<double>(all),
                           .note = fmt::format("{} of {} tokens", overlap.shared, all)});
  };
  share("shared_of_drafter_vocabulary", overlap.draft);
  share("shared_of_target_vocabulary", overlap.target);
  Comparison unshared =
      measured(crossing.setting(), "unshared_of_emitted_tokens", unshared_share(run, crossing));
  unshared.note = "tokens of the text that the drafter's vocabulary does not hold";
  result.rows.push_back(unshared);
}

/// Tokens that only the target has, beside the tokens a round of both ways. Empty if the sweep
/// lacks one of the ways.
std::string gap_remark(const MeasuredRun& run, const std::vector<Crossing>& crossings,
                       const Crossing& first) {
  const auto of_bridge = [&](const char* bridge) {
    return std::ranges::find_if(crossings, [&](const Crossing& c) {
      return c.pair() == first.pair() && c.temperature() == 0 && c.bridge == bridge;
    });
  };
  const auto spelled = of_bridge("re_encode"), shared = of_bridge("intersection");
  if (spelled == crossings.end() || shared == crossings.end()) return "";
  return fmt::format(
      "{} <- {}, temperature 0: {:.0f} % of the emitted tokens are none of the drafter's; tokens a "
      "round {:.2f} by re_encode, {:.2f} by intersection",
      first.target(), first.drafter, 100 * unshared_share(run, *shared).value,
      needed(spelled->group->summary.tokens_per_round, "rounds of re_encode").value,
      needed(shared->group->summary.tokens_per_round, "rounds of intersection").value);
}

/// "0_5" of 0.5: ids have no points.
std::string id_of(double temperature) {
  std::string id = fmt::format("{}", temperature);
  std::ranges::replace(id, '.', '_');
  return id;
}

/// Names stand side by side below a figure.
std::string short_name(const std::string& bridge) {
  return bridge == "trimmed_intersection" ? "trimmed" : bridge;
}

analysis::Figure figure_of(const MeasuredRun& run, const std::vector<Crossing>& crossings,
                           double temperature) {
  BesideFigure figure(
      fmt::format("cost_of_exactness_{}", id_of(temperature)),
      fmt::format("Speed-up by the way between two tokenizers, temperature {}", temperature),
      {.label = ""}, "speed-up over plain decoding",
      fmt::format("Filled: measured, {}, {}, bars 95 % over prompts. Hollow: predicted from pilots "
                  "and timed forwards.",
                  run.description(), crossings.front().group->axes.policy));
  for (const Crossing& crossing : crossings) {
    if (crossing.temperature() != temperature) continue;
    const analysis::GroupSummary& summary = crossing.group->summary;
    const std::string series = crossing.target() + " <- " + crossing.drafter;
    const double x = figure.place(short_name(crossing.bridge));
    figure.add(series, x, *summary.speedup);
    if (summary.prediction.speedup) figure.add_theirs(series, x, *summary.prediction.speedup);
  }
  return figure.figure();
}

}  // namespace

Reproduction cost_of_exactness(const Papers&, const RunFolders& folders) {
  const MeasuredRun run(folders.at("cost_of_exactness"));
  const std::vector<Crossing> crossings = crossings_of(run);
  Reproduction result;
  std::set<std::string> pairs;
  std::set<double> temperatures;
  for (const Crossing& crossing : crossings) {
    temperatures.insert(crossing.temperature());
    if (pairs.insert(crossing.pair()).second) {
      add_overlap(run, crossing, result);
      if (const std::string gap = gap_remark(run, crossings, crossing); !gap.empty())
        result.remarks.push_back(gap);
    }
    add_rows(run, crossing, result);
  }
  for (const double temperature : temperatures)
    result.figures.push_back(figure_of(run, crossings, temperature));
  result.remarks.push_back(run.description() +
                           "; every bridge keeps the target's law, which tests enumerate on small "
                           "vocabularies");
  return result;
}

}  // namespace speclab::experiments
