// Assisted generation with two tokenizers, by decoding and encoding again: NTT 2023.

#include "experiments/drivers/reproduce/measured/crossings.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using analysis::Generation;

/// The value of a key of the config, without its quotes.
std::string config_text(const analysis::Manifest& manifest, const std::string& key) {
  const auto found =
      std::ranges::find(manifest.config, key, &std::pair<std::string, std::string>::first);
  if (found == manifest.config.end())
    throw DataError("the sweep has no key " + escaped(key, 80) +
                    "; measure it with the config in experiments/configs/papers");
  std::string text = found->second;
  std::erase(text, '"');
  return text;
}

double rounds(const Generation& generation) { return static_cast<double>(generation.rounds); }
double decode_ns(const Generation& generation) { return static_cast<double>(generation.decode_ns); }
double tokens(const Generation& generation) {
  return static_cast<double>(generation.output_tokens);
}

/// A number of a generation's bridge.
analysis::Quantity of_bridge(const MeasuredRun& run, std::int64_t BridgeUse::* field) {
  return [&run, field](const Generation& generation) {
    return static_cast<double>(run.bridge_of(generation).*field);
  };
}

/// Rounds in which the target took a drafted token, in shares of all.
analysis::Estimate hit_rate(const MeasuredRun& run, const Crossing& crossing) {
  return run.ratio(
      crossing.group->generations,
      [&](const Generation& g) { return static_cast<double>(run.hit_rounds(g)); }, rounds);
}

analysis::Estimate accepted_per_hit(const MeasuredRun& run, const Crossing& crossing) {
  return run.ratio(
      crossing.group->generations,
      [](const Generation& g) { return static_cast<double>(g.accepted); },
      [&](const Generation& g) { return static_cast<double>(run.hit_rounds(g)); });
}

}  // namespace

std::string Crossing::setting() const {
  return fmt::format("{};bridge={};temperature={}", pair(), bridge, temperature());
}

std::vector<Crossing> crossings_of(const MeasuredRun& run) {
  std::vector<Crossing> crossings;
  for (const analysis::Group& group : run.pooled()) {
    if (group.axes.is_plain()) continue;
    const BridgeUse& use = run.bridge_of(*group.generations.front());
    crossings.push_back(
        {.group = &group,
         .drafter = config_text(run.manifest(), "drafters." + group.axes.drafter + ".model"),
         .bridge = use.bridge,
         .overlap = use.overlap});
  }
  if (crossings.empty())
    throw DataError(
        "the sweep has no drafters; measure it with the config in experiments/configs/papers");
  return crossings;
}

Comparison other_texts(const Crossing& crossing) {
  return {.setting = crossing.setting(),
          .quantity = "texts_other_than_plain",
          .ours = static_cast<double>(crossing.group->summary.other_texts),
          .prompts = static_cast<int>(crossing.group->summary.n_prompts),
          .note = fmt::format("of {} texts", crossing.group->summary.n_rows)};
}

analysis::Estimate draft_tokens_per_round(const MeasuredRun& run, const Crossing& crossing) {
  return run.ratio(crossing.group->generations, of_bridge(run, &BridgeUse::draft_tokens), rounds);
}

analysis::Estimate spelling_share(const MeasuredRun& run, const Crossing& crossing) {
  return analysis::within(
      run.ratio(crossing.group->generations, of_bridge(run, &BridgeUse::spelling_ns), decode_ns), 0,
      1);
}

analysis::Estimate unshared_share(const MeasuredRun& run, const Crossing& crossing) {
  return analysis::within(
      run.ratio(crossing.group->generations, of_bridge(run, &BridgeUse::unshared_outputs), tokens),
      0, 1);
}

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
