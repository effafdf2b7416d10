// Drafters that cross to the target from another tokenizer.
// Assisted generation with two tokenizers, by decoding and encoding again: NTT 2023.
// The price of the target's law if the drafter has another tokenizer: every bridge between two
// vocabularies, prediction beside measurement.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/drivers/reproduce/measured/measured_run.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using analysis::Generation;

/// A cell of a sweep whose drafter has another tokenizer.
struct Crossing {
  const analysis::Group* group = nullptr;
  std::string drafter;  ///< its model
  std::string bridge;
  VocabularyOverlap overlap{};

  const std::string& target() const { return group->axes.model; }
  double temperature() const { return group->axes.temperature; }
  /// "target=...;drafter=...", the same for every bridge
  std::string pair() const { return "target=" + target() + ";drafter=" + drafter; }
  std::string setting() const {
    return fmt::format("{};bridge={};temperature={}", pair(), bridge, temperature());
  }
};

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

/// Every cell that drafted, in the order of the run. @throws DataError if one has no bridge, or
/// there is none
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

/// Texts that differ from plain decoding's. @param crossing  of temperature 0
Comparison other_texts(const Crossing& crossing) {
  return {.setting = crossing.setting(),
          .quantity = "texts_other_than_plain",
          .ours = static_cast<double>(crossing.group->summary.other_texts),
          .prompts = static_cast<int>(crossing.group->summary.n_prompts),
          .note = fmt::format("of {} texts", crossing.group->summary.n_rows)};
}

/// Tokens of the drafter in a round.
analysis::Estimate draft_tokens_per_round(const MeasuredRun& run, const Crossing& crossing) {
  return run.ratio(crossing.group->generations, of_bridge(run, &BridgeUse::draft_tokens), rounds);
}

/// Time between the tokenizers, in shares of the time of all rounds.
analysis::Estimate spelling_share(const MeasuredRun& run, const Crossing& crossing) {
  return analysis::within(
      run.ratio(crossing.group->generations, of_bridge(run, &BridgeUse::spelling_ns), decode_ns), 0,
      1);
}

/// Emitted tokens that the drafter's vocabulary does not hold, in shares of all.
analysis::Estimate unshared_share(const MeasuredRun& run, const Crossing& crossing) {
  return analysis::within(
      run.ratio(crossing.group->generations, of_bridge(run, &BridgeUse::unshared_outputs), tokens),
      0, 1);
}

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
