// Assisted generation with two tokenizers, by decoding and encoding again: NTT 2023.

#include <fmt/format.h>

#include "experiments/drivers/reproduce/measured/crossings.h"
#include "experiments/drivers/reproduce/measured/measured_run.h"

namespace speclab::experiments {
namespace {

/// Rounds in which the target took a drafted token, in shares of all.
analysis::Estimate hit_rate(const MeasuredRun& run, const Crossing& crossing) {
  return run.ratio(
      crossing.group->generations,
      [&](const analysis::Generation& g) { return static_cast<double>(run.hit_rounds(g)); },
      [](const analysis::Generation& g) { return static_cast<double>(g.rounds); });
}

analysis::Estimate accepted_per_hit(const MeasuredRun& run, const Crossing& crossing) {
  return run.ratio(
      crossing.group->generations,
      [](const analysis::Generation& g) { return static_cast<double>(g.accepted); },
      [&](const analysis::Generation& g) { return static_cast<double>(run.hit_rounds(g)); });
}

}  // namespace

Reproduction ntt_cross_tokenizer(const Papers& papers, const RunFolders& folders) {
  const MeasuredRun run(folders.at("cross_tokenizer"));
  const analysis::Table claims = papers.table("ntt_assisted_generation.csv");
  Reproduction result;
  BesideFigure figure("ntt_cross_tokenizer", "Assisted generation with two tokenizers",
                      {.label = ""}, "ours, and the article's",
                      "Filled: ours, " + run.description() +
                          ", bars 95 % over prompts. Hollow: llm-jp-13b with open-calm-small, one "
                          "prompt (NTT 2023).");
  for (const Crossing& crossing : crossings_of(run)) {
    const analysis::GroupSummary& summary = crossing.group->summary;
    const auto add = [&](const char* quantity, const char* label, const analysis::Estimate& ours,
                         const std::optional<double>& predicted = std::nullopt) {
      Comparison row = compare(
          claims, measured(crossing.setting(), std::string("cross_tokenizer_") + quantity, ours));
      const double x = figure.place(label);
      figure.add("ours", x, ours);
      figure.add_theirs("theirs", x, *row.reference);
      add_with_prediction(row, predicted, result);
    };
    add("tokens_per_round", "tokens a round", needed(summary.tokens_per_round, "rounds"),
        summary.prediction.tokens_per_round);
    add("round_hit_rate", "rounds that match", analysis::within(hit_rate(run, crossing), 0, 1));
    add("accepted_per_hit_round_tokens", "accepted then", accepted_per_hit(run, crossing));
    add("speedup_ratio", "speed-up", needed(summary.speedup, "plain generations"),
        summary.prediction.speedup);
    result.rows.push_back(measured(crossing.setting(), "draft_tokens_per_round",
                                   draft_tokens_per_round(run, crossing)));
    result.rows.push_back(
        measured(crossing.setting(), "spelling_share_of_time", spelling_share(run, crossing)));
    if (crossing.temperature() == 0) result.rows.push_back(other_texts(crossing));
  }
  result.figures.push_back(figure.figure());
  result.remarks.push_back(context_remark(
      run.description(),
      "llm-jp-13b-v1.0 in 8 bit, drafts of 5 tokens of open-calm-small, one prompt of up to 128 "
      "tokens; its acceptance rate is the share of rounds with a match"));
  return result;
}

}  // namespace speclab::experiments
