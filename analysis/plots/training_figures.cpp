#include "analysis/plots/training_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "sim/monte_carlo/distributions.h"

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
Series line(const std::string& name, std::size_t colour, const TrainingCurve& curve, const Value& value, const Error& error = {}) {
  Series series{.name = name, .colour = colour, .points = {}, .prediction = {}};
  for (const TrainingPoint& point : curve.points)
    series.points.push_back({.x = point.tokens / 1e3, .y = value(point), .interval = error ? interval_around(value(point), error(point), point.clusters) : std::nullopt});
  return series;
}

/// Of one training a line a drafted token; of several, of the first alone.
std::vector<Series> lines_of(const std::vector<TrainingCurve>& curves, Metric what, Metric error) {
  std::vector<Series> lines;
  const std::size_t drafted = curves.size() > 1 ? 1 : curves.front().points.front().held_out.size();
  for (const TrainingCurve& curve : curves)
    for (std::size_t token = 0; token < drafted; ++token) {
      const std::string name = curves.size() > 1 ? curve.name : drafted == 1 ? "held-out text" : fmt::format("held-out text, drafted token {}", token + 1);
      lines.push_back(line(name, lines.size() + 1, curve, [&](const TrainingPoint& point) { return point.held_out[token].*what; },
                           [&](const TrainingPoint& point) { return point.held_out[token].*error; }));
    }
  return lines;
}

Figure empty_figure(const char* id, const char* title, const char* y, const std::string& caption) {
  return {.id = id, .title = title, .caption = caption, .x = {.label = "thousand tokens visited", .scale = Scale::linear, .names = {}}, .y = {.label = y, .scale = Scale::linear, .names = {}},
          .series = {}, .reference = {}, .totals = {}};
}

bool has_errors(const TrainingPoint& point) { return point.clusters > 1; }

/// Of the trainings that noted no error at one report at least.
std::vector<std::string> without_errors(const std::vector<TrainingCurve>& curves) {
  std::vector<std::string> names;
  for (const TrainingCurve& curve : curves)
    if (!std::ranges::all_of(curve.points, has_errors)) names.push_back(curve.name);
  return names;
}

/// What the bars are, and which trainings noted none.
std::string intervals_of(const std::vector<TrainingCurve>& curves) {
  std::int64_t least = 0, most = 0;
  for (const TrainingCurve& curve : curves)
    for (const TrainingPoint& point : curve.points)
      if (has_errors(point)) least = least == 0 ? point.clusters : std::min(least, point.clusters), most = std::max(most, point.clusters);
  const std::string clusters = least == most ? std::to_string(most) : fmt::format("{} to {}", least, most);
  const std::vector<std::string> without = without_errors(curves);
  return fmt::format("{}{}", most == 0 ? "" : fmt::format(" Bars: 95 % intervals of held-out text, Student's t over {} prompts or stretches of files.", clusters),
                     without.empty() ? "" : fmt::format(" No interval was noted by {}.", fmt::join(without, ", ")));
}

/// Each program and machine once.
std::string origins_of(const std::vector<TrainingCurve>& curves) {
  std::vector<std::string> origins;
  for (const TrainingCurve& curve : curves)
    for (const TrainingOrigin& origin : curve.origins)
      if (const std::string text = fmt::format("revision {} on {}", origin.revision, origin.machine); std::ranges::count(origins, text) == 0) origins.push_back(text);
  return fmt::format(" Trained by {}.", fmt::join(origins, "; "));
}

std::string caption_of(const std::vector<TrainingCurve>& curves) {
  const std::string end = intervals_of(curves) + origins_of(curves);
  if (curves.size() > 1) return "Held-out text, first drafted token." + end;
  const std::string& stages = curves.front().stages;
  return fmt::format("Training of {}; further drafted tokens behind the text's own.{}{}", curves.front().name, stages.empty() ? "" : " Stages: " + stages + "; each is held against text of its own kind.", end);
}

Figure loss_figure(const std::vector<TrainingCurve>& curves) {
  Figure figure = empty_figure("training_loss", "Loss over training", "loss, nats a token", caption_of(curves));
  figure.series = lines_of(curves, &HeldOutPoint::loss, &HeldOutPoint::loss_error);
  if (curves.size() > 1) return figure;
  figure.caption += " Training text: mean over all tokens since the report before.";
  figure.series.push_back(line("training text", figure.series.size() + 1, curves.front(), [](const TrainingPoint& point) { return point.loss; }));
  return figure;
}

Figure acceptance_figure(const std::vector<TrainingCurve>& curves) {
  Figure figure = empty_figure("training_acceptance", "Held-out acceptance over training", "acceptance rate", caption_of(curves) + " Of a language model: probability of the text's next token.");
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
  Figure figure = empty_figure("training_tokens_per_round", "What a round would emit over training", "tokens a round", "Held-out text: 1 + the sum of products of acceptance behind the text's own tokens over all drafted ones, as if independent." + intervals_of(drafting(curves)) + origins_of(drafting(curves)));
  for (std::size_t i = 0; i < curves.size(); ++i)
    if (drafts_further(curves[i]))
      figure.series.push_back(line(fmt::format("{}, {} drafts", curves[i].name, curves[i].points.front().held_out.size()), i + 1, curves[i], &TrainingPoint::tokens_per_round, &TrainingPoint::tokens_per_round_error));
  return figure;
}

}  // namespace

std::vector<Figure> training_figures(const std::vector<TrainingCurve>& curves) {
  std::vector<Figure> figures{loss_figure(curves), acceptance_figure(curves)};
  if (std::ranges::any_of(curves, drafts_further)) figures.push_back(tokens_figure(curves));
  return figures;
}

}  // namespace speclab::analysis
