#include "analysis/plots/training_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace speclab::analysis {
namespace {

using Value = std::function<double(const TrainingPoint&)>;

Series line(const std::string& name, std::size_t colour, const TrainingCurve& curve, const Value& value) {
  Series series{.name = name, .colour = colour, .points = {}, .prediction = {}};
  for (const TrainingPoint& point : curve.points) series.points.push_back({.x = point.tokens / 1e3, .y = value(point), .interval = {}});
  return series;
}

/// Of one training a line a drafted token; of several, of the first alone.
std::vector<Series> lines_of(const std::vector<TrainingCurve>& curves, double HeldOutPoint::* what) {
  std::vector<Series> lines;
  const std::size_t drafted = curves.size() > 1 ? 1 : curves.front().points.front().held_out.size();
  for (const TrainingCurve& curve : curves)
    for (std::size_t token = 0; token < drafted; ++token) {
      const std::string name = curves.size() > 1 ? curve.name : drafted == 1 ? "held-out text" : fmt::format("held-out text, drafted token {}", token + 1);
      lines.push_back(line(name, lines.size() + 1, curve, [&](const TrainingPoint& point) { return point.held_out[token].*what; }));
    }
  return lines;
}

Figure empty_figure(const char* id, const char* title, const char* y, const std::string& caption) {
  return {.id = id, .title = title, .caption = caption, .x = {.label = "thousand tokens visited", .scale = Scale::linear, .names = {}}, .y = {.label = y, .scale = Scale::linear, .names = {}},
          .series = {}, .reference = {}, .totals = {}};
}

std::string caption_of(const std::vector<TrainingCurve>& curves) {
  if (curves.size() > 1) return "Held-out text, first drafted token.";
  const std::string& stages = curves.front().stages;
  return fmt::format("Training of {}; further drafted tokens behind the text's own.{}", curves.front().name, stages.empty() ? "" : " Stages: " + stages + "; each is held against text of its own kind.");
}

Figure loss_figure(const std::vector<TrainingCurve>& curves) {
  Figure figure = empty_figure("training_loss", "Loss over training", "loss, nats a token", caption_of(curves));
  figure.series = lines_of(curves, &HeldOutPoint::loss);
  if (curves.size() == 1) figure.series.push_back(line("training text", figure.series.size() + 1, curves.front(), [](const TrainingPoint& point) { return point.loss; }));
  return figure;
}

Figure acceptance_figure(const std::vector<TrainingCurve>& curves) {
  Figure figure = empty_figure("training_acceptance", "Held-out acceptance over training", "acceptance rate", caption_of(curves) + " Of a language model: probability of the text's next token.");
  figure.series = lines_of(curves, &HeldOutPoint::acceptance);
  return figure;
}

bool drafts_further(const TrainingCurve& curve) { return curve.points.front().held_out.size() > 1; }

/// Of those with further drafted tokens; the others do not tell what a round would emit.
Figure tokens_figure(const std::vector<TrainingCurve>& curves) {
  Figure figure = empty_figure("training_tokens_per_round", "What a round would emit over training", "tokens a round", "Held-out text: 1 + the sum of products of acceptance behind the text's own tokens over all drafted ones, as if independent.");
  for (std::size_t i = 0; i < curves.size(); ++i)
    if (drafts_further(curves[i])) figure.series.push_back(line(fmt::format("{}, {} drafts", curves[i].name, curves[i].points.front().held_out.size()), i + 1, curves[i], &TrainingPoint::tokens_per_round));
  return figure;
}

}  // namespace

std::vector<Figure> training_figures(const std::vector<TrainingCurve>& curves) {
  std::vector<Figure> figures{loss_figure(curves), acceptance_figure(curves)};
  if (std::ranges::any_of(curves, drafts_further)) figures.push_back(tokens_figure(curves));
  return figures;
}

}  // namespace speclab::analysis
