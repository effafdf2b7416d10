#include "analysis/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/plots/figure_text.h"
#include "analysis/report/html.h"
#include "analysis/stats/groups.h"
#include "analysis/stats/intervals.h"

namespace speclab::analysis {
namespace {

std::set<double> temperatures(const FigureData& data) {
  const std::string model = primary_model(data.run.manifest, data.pooled);
  std::set<double> values;
  for (const auto& group : data.pooled) {
    if (group.axes.model == model) values.insert(group.axes.temperature);
  }
  return values;
}

/// The group that the run is judged by at a temperature: the drafter that the pilots chose, so that
/// no noise picks the winner. If nothing was predicted, or the choice was not compared with plain
/// decoding, the fastest.
struct Named {
  const Group* group = nullptr;
  bool chosen = false;
};

Named named_at(const FigureData& data, double temperature) {
  const std::string model = primary_model(data.run.manifest, data.pooled);
  for (const PilotChoice& choice : pilot_choices(data.pooled))
    if (choice.chosen->axes.model == model && choice.chosen->axes.temperature == temperature &&
        (choice.chosen->axes.is_plain() || choice.chosen->summary.speedup))
      return {choice.chosen, true};
  return {best_group(data, temperature), false};
}

std::string clause(const FigureData& data, const Named& named) {
  const std::string where =
      fmt::format("at temperature {} ", short_number(named.group->axes.temperature));
  const std::string who = named.chosen ? "the pilots chose " : "the fastest drafter was ";
  const std::string name = line_name(data.pooled, *named.group);
  if (named.group->axes.is_plain()) return where + who + name;
  return where + who +
         fmt::format("{} with a speed-up of {}", name,
                     with_interval(*named.group->summary.speedup));
}

/// A change of the machine's pace, either way, that a reader should hear of.
constexpr double kOtherPace = 1.25;

/// The target's forwards while measuring over the same ones when costs were timed: the median over
/// groups whose walltime was predicted.
std::optional<double> pace_while_measuring(const FigureData& data) {
  std::vector<double> ratios;
  for (const Group& group : data.pooled)
    if (const Prediction& p = group.summary.prediction; p.paced_walltime_ns && p.walltime_ns)
      ratios.push_back(*p.paced_walltime_ns / *p.walltime_ns);
  return ratios.empty() ? std::nullopt : std::optional(median(std::move(ratios)).value);
}

/// Nothing where the pace is about what it was.
std::string pace_note(const FigureData& data) {
  const double pace = pace_while_measuring(data).value_or(1);
  if (pace < kOtherPace && pace > 1 / kOtherPace) return "";
  return fmt::format(
      "The machine ran at another pace while measuring than while timing the costs: forwards took "
      "{} times as long. Something else may have run beside it. Ratios from equal minutes "
      "(speed-ups, tokens a round) hold. Times differ from those of a quiet machine, so measure "
      "again before you quote them.",
      short_number(pace, 2));
}

}  // namespace

std::string unfinished_note(const std::string& missing) {
  return missing.empty() ? "" : fmt::format("Not finished: {}. ", missing);
}

const Group* best_group(const FigureData& data, double temperature) {
  const std::string model = primary_model(data.run.manifest, data.pooled);
  const Group* best = nullptr;
  for (const auto& group : data.pooled) {
    if (group.axes.model != model || group.axes.temperature != temperature ||
        !group.summary.speedup || group.summary.is_lossy())
      continue;
    if (best == nullptr || group.summary.speedup->value > best->summary.speedup->value)
      best = &group;
  }
  return best;
}

std::string answer_sentence(const FigureData& data, const PredictionErrors& errors) {
  const auto values = temperatures(data);
  const Named coolest = named_at(data, *values.begin()), hottest = named_at(data, *values.rbegin());
  std::string text =
      unfinished_note(data.run.manifest.missing(data.run.num_measured(), "generations"));
  if (coolest.group == nullptr || best_group(data, *values.begin()) == nullptr)
    return text + "No drafter was compared with plain decoding in this run.";
  const std::size_t begin = text.size();
  text += clause(data, coolest);
  text[begin] = 'A';
  if (hottest.group != nullptr && hottest.group != coolest.group)
    text += "; " + clause(data, hottest);
  text += ".";
  if (errors.as_predicted) {
    const bool is_one = errors.as_predicted->n == 1;
    text += fmt::format(
        " The walltime predicted beforehand is off by {} % in the median of the {} "
        "cell{} that draft{} in at least half of {} rounds",
        with_interval(*errors.as_predicted, 100, 2), errors.as_predicted->n, is_one ? "" : "s",
        is_one ? "s" : "", is_one ? "its" : "their");
    if (errors.at_pace)
      text += fmt::format(" and by {} % if the pace of the machine while measuring is included",
                          with_interval(*errors.at_pace, 100, 2));
    text += ".";
  }
  return text;
}

namespace {

/// The name of a group's line with the drafter as a config names it.
std::string config_name(const FigureData& data, const Group& group) {
  const std::string line = line_name(data.pooled, group), drafter = readable(group.axes.drafter);
  return line.starts_with(drafter) ? group.axes.drafter + line.substr(drafter.size()) : line;
}

/// Empty where no generation failed.
std::string failures_note(const std::map<std::string, std::size_t>& failures) {
  std::size_t failed = 0;
  std::string cells;
  for (const auto& [cell, count] : failures) {
    failed += count;
    cells += fmt::format("{}{} ({})", cells.empty() ? "" : "; ", cell, count);
  }
  if (failed == 0) return "";
  return fmt::format(
      "{} generation{} failed and {} in no number here; see failures.csv. Cells: {}.", failed,
      failed == 1 ? "" : "s", failed == 1 ? "is" : "are", cells);
}

}  // namespace

std::string worth_sentence(const FigureData& data) {
  const double coolest = *temperatures(data).begin();
  const Named named = named_at(data, coolest);
  if (named.group == nullptr || best_group(data, coolest) == nullptr) return "";
  const std::string where = "at temperature " + short_number(coolest);
  const std::size_t n = named.group->summary.n_prompts;
  const std::string prompts = fmt::format("({} prompt{})", n, n == 1 ? "" : "s");
  if (named.group->axes.is_plain())
    return fmt::format("Speculation is worth nothing {}: the pilots chose plain decoding {}.",
                       where, prompts);
  const Estimate& speedup = *named.group->summary.speedup;
  const auto shown = [&](int digits) {
    return fmt::format("{:.{}f}x", speedup.value, digits) +
           (speedup.interval ? fmt::format(" [{:.{}f}, {:.{}f}]", speedup.interval->low, digits,
                                           speedup.interval->high, digits)
                             : "");
  };
  const std::string who =
      fmt::format("{} with {}, {} {}", where, config_name(data, *named.group),
                  named.chosen ? "the pilots' choice" : "the fastest of the run", prompts);
  if (speedup.interval && speedup.interval->low < 1 && speedup.interval->high > 1)
    return fmt::format("Speculation shows no gain or loss yet {}: {}; add prompts.", who, shown(2));
  if (speedup.value < 1) return fmt::format("Speculation does not pay {}: {}.", who, shown(2));
  return fmt::format("Speculation is worth {} {}.", shown(1), who);
}

std::vector<std::string> notes(const FigureData& data) {
  std::set<std::string> lossy;
  std::size_t unequal = 0, other = 0, greedy = 0, apart = 0, pairs = 0;
  bool forced = false;
  for (const auto& group : data.pooled) {
    if (group.summary.is_lossy()) lossy.insert(readable(group.axes.verifier));
    forced = forced || group.summary.forced_acceptance;
    unequal += group.summary.unequal_pairs;
    other += group.summary.other_texts;
    apart += group.summary.apart_pairs;
    if (group.summary.speedup) pairs += group.summary.n_rows;
    if (group.summary.speedup && group.axes.temperature == 0 && group.summary.lossless)
      greedy += group.summary.n_rows;
  }
  std::vector<std::string> result;
  if (const std::string note = device_note(data.run.device); !note.empty())
    result.push_back(note + ", see device.csv.");
  if (const std::string note = failures_note(data.run.failures); !note.empty())
    result.push_back(note);
  if (const std::string note = pace_note(data); !note.empty()) result.push_back(note);
  if (!lossy.empty())
    result.push_back(fmt::format("Lossy, because the output law differs from the target's: {}.",
                                 fmt::join(lossy, ", ")));
  if (forced)
    result.push_back(
        "Shape models have random weights. Their time is real; their acceptance is replayed from "
        "the trained pair.");
  if (std::ranges::any_of(data.run.manifest.models, [](const ModelProvenance& model) {
        return model.weights == Weights::widened;
      }))
    result.push_back(kWidenedNote);
  if (unequal > 0)
    result.push_back(fmt::format(
        "{} of {} speculative generations have another length than plain decoding of the prompt.",
        unequal, pairs));
  if (other > 0)
    result.push_back(
        fmt::format("{} of {} speculative generations at temperature 0 wrote another text than "
                    "plain decoding, so their times are for other work.",
                    other, greedy));
  if (apart > 0)
    result.push_back(
        fmt::format("{} of {} speculative generations are compared with plain decoding from "
                    "another section of the run, measured at another time.",
                    apart, pairs));
  return result;
}

}  // namespace speclab::analysis
