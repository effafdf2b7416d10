#include "analysis/plots/kind_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "analysis/plots/figure_text.h"
#include "sim/statistics/distributions.h"

namespace speclab::analysis {
namespace {

using Value = std::function<double(const TrainingPoint&)>;
using Error = Value;  ///< standard error
using Metric = double HeldOutPoint::*;

/// 95 %, by Student's t over the clusters.
std::optional<Interval> interval_around(double value, double error, std::int64_t clusters) {
  if (clusters < 2) return std::nullopt;
  const double half = sim::student_t_quantile(0.975, static_cast<double>(clusters - 1)) * error;
  return Interval{value - half, value + half};
}

/// @param error  none where nothing is known of chance
Series line(const std::string& name, std::size_t colour, const TrainingCurve& curve,
            const Value& value, const Error& error = {}) {
  Series series{.name = name, .colour = colour};
  for (const TrainingPoint& point : curve.points)
    series.points.push_back(
        {.x = point.tokens / 1e3,
         .y = value(point),
         .interval =
             error ? interval_around(value(point), error(point), point.clusters) : std::nullopt});
  return series;
}

/// Of one training a line a drafted token; of several, of the first alone.
std::vector<Series> lines_of(const std::vector<TrainingCurve>& curves, Metric what, Metric error) {
  std::vector<Series> lines;
  const std::size_t drafted = curves.size() > 1 ? 1 : curves.front().points.front().held_out.size();
  for (const TrainingCurve& curve : curves)
    for (std::size_t token = 0; token < drafted; ++token) {
      const std::string name = curves.size() > 1 ? curve.name
                               : drafted == 1
                                   ? "held-out text"
                                   : fmt::format("held-out text, drafted token {}", token + 1);
      lines.push_back(line(
          name, lines.size() + 1, curve,
          [&](const TrainingPoint& point) { return point.held_out[token].*what; },
          [&](const TrainingPoint& point) { return point.held_out[token].*error; }));
    }
  return lines;
}

Figure empty_figure(const char* id, const char* title, const char* y, const std::string& caption) {
  return {.id = id,
          .title = title,
          .caption = caption,
          .x = {.label = "thousand tokens visited"},
          .y = {.label = y}};
}

/// How many prompts or stretches of files were held out.
struct Clusters {
  std::int64_t least = 0, most = 0;  ///< of those with two or more, which bear an interval; 0: none
  std::vector<std::string> without{};  ///< trainings of which a report did not note them
  bool is_one = false;                 ///< a report held out a single one
};

std::string name_of(const TrainingCurve& curve) {
  return curve.stages.empty() ? curve.name : "all of the stages";
}

Clusters clusters_of(const std::vector<TrainingCurve>& curves) {
  Clusters all;
  for (const TrainingCurve& curve : curves) {
    for (const TrainingPoint& point : curve.points) {
      all.is_one = all.is_one || point.clusters == 1;
      if (point.clusters > 1)
        all.least = all.least == 0 ? point.clusters : std::min(all.least, point.clusters),
        all.most = std::max(all.most, point.clusters);
    }
    if (std::ranges::any_of(curve.points,
                            [](const TrainingPoint& point) { return point.clusters == 0; }))
      all.without.push_back(name_of(curve));
  }
  return all;
}

/// What the bars are, and why points have none. @param what  of the intervals
std::string intervals_of(const std::vector<TrainingCurve>& curves,
                         const char* what = "95 % intervals") {
  const Clusters clusters = clusters_of(curves);
  std::string text;
  if (clusters.most > 0)
    text += fmt::format(
        " Bars: {}, held-out text, Student's t over {} prompts or stretches of files.", what,
        range_text(static_cast<std::size_t>(clusters.least),
                   static_cast<std::size_t>(clusters.most)));
  if (clusters.is_one) text += " A single prompt or stretch has none.";
  if (!clusters.without.empty())
    text += fmt::format(" No interval was noted by {}.", fmt::join(clusters.without, ", "));
  return text;
}

/// Programs and machines in the order of their parts, each once.
std::string origins_of(const TrainingCurve& curve) {
  std::vector<std::string> origins;
  for (const TrainingOrigin& origin : curve.origins)
    if (const std::string text = fmt::format("revision {} on {}", origin.revision, origin.machine);
        std::ranges::count(origins, text) == 0)
      origins.push_back(text);
  constexpr std::size_t kMostNamed = 4;
  if (origins.size() > kMostNamed)
    origins = {origins.front(), fmt::format("{} others", origins.size() - 2), origins.back()};
  return fmt::format("{}", fmt::join(origins, ", then "));
}

/// Who trained them: of several that are of unlike origin each by its name.
std::string origins_of(const std::vector<TrainingCurve>& curves) {
  const auto is_alike = [&](const TrainingCurve& curve) {
    return curve.origins == curves.front().origins;
  };
  if (std::ranges::all_of(curves, is_alike))
    return fmt::format(" Trained by {}.", origins_of(curves.front()));
  std::vector<std::string> each;
  for (const TrainingCurve& curve : curves)
    each.push_back(fmt::format("{} by {}", curve.name, origins_of(curve)));
  return fmt::format(" Trained: {}.", fmt::join(each, "; "));
}

std::string caption_of(const std::vector<TrainingCurve>& curves) {
  const std::string end = intervals_of(curves) + origins_of(curves);
  if (curves.size() > 1) return "Held-out text, first drafted token." + end;
  const std::string& stages = curves.front().stages;
  return fmt::format(
      "Training of {}; further drafted tokens follow the text's own tokens.{}{}",
      curves.front().name,
      stages.empty() ? "" : " Stages: " + stages + "; each is measured on text of its own kind.",
      end);
}

Figure loss_figure(const std::vector<TrainingCurve>& curves) {
  Figure figure =
      empty_figure("training_loss", "Loss over training", "loss, nats a token", caption_of(curves));
  figure.series = lines_of(curves, &HeldOutPoint::loss, &HeldOutPoint::loss_error);
  if (curves.size() > 1) return figure;
  figure.caption +=
      " Training text: mean over all tokens since the last report. Its steps depend on each other, "
      "so it has no interval.";
  figure.series.push_back(line("training text", figure.series.size() + 1, curves.front(),
                               [](const TrainingPoint& point) { return point.loss; }));
  return figure;
}

Figure acceptance_figure(const std::vector<TrainingCurve>& curves) {
  Figure figure = empty_figure(
      "training_acceptance", "Held-out acceptance over training", "acceptance rate",
      caption_of(curves) + " For a language model: probability of the text's next token.");
  figure.series = lines_of(curves, &HeldOutPoint::acceptance, &HeldOutPoint::acceptance_error);
  return figure;
}

bool drafts_further(const TrainingCurve& curve) { return curve.points.front().held_out.size() > 1; }

std::vector<TrainingCurve> drafting(std::vector<TrainingCurve> curves) {
  std::erase_if(curves, [](const TrainingCurve& curve) { return !drafts_further(curve); });
  return curves;
}

/// Of those with further drafted tokens; the others do not tell what a round would emit.
Figure tokens_figure(const std::vector<TrainingCurve>& curves) {
  const std::vector<TrainingCurve> shown = drafting(curves);
  const std::string intervals =
      intervals_of(shown, "at least 95 % (the errors of all drafts taken together),");
  Figure figure = empty_figure("training_tokens_per_round", "Expected tokens a round over training",
                               "tokens a round",
                               "Held-out text: 1 + the sum over drafted tokens of products of "
                               "acceptance, as if the tokens were independent." +
                                   intervals + origins_of(shown));
  for (const TrainingCurve& curve : shown) {
    const std::string name =
        fmt::format("{}, {} drafts", curve.name, curve.points.front().held_out.size());
    const auto colour =
        1 + static_cast<std::size_t>(std::ranges::find(curves, curve.name, &TrainingCurve::name) -
                                     curves.begin());
    figure.series.push_back(line(name, colour, curve, &TrainingPoint::tokens_per_round,
                                 &TrainingPoint::tokens_per_round_error));
  }
  return figure;
}

}  // namespace

std::vector<Figure> training_figures(const std::vector<TrainingCurve>& curves) {
  std::vector<Figure> figures{loss_figure(curves), acceptance_figure(curves)};
  if (std::ranges::any_of(curves, drafts_further)) figures.push_back(tokens_figure(curves));
  return figures;
}

}  // namespace speclab::analysis
