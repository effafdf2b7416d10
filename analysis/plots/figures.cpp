// Figures of what happens within rounds.

#include "analysis/plots/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include "analysis/plots/figure_series.h"
#include "analysis/plots/figure_text.h"
#include "analysis/stats/groups.h"

namespace speclab::analysis {
namespace {

constexpr double kNsPerS = 1e9;
constexpr std::size_t kFewestPromptsOfACategory =
    4;  // with fewer the intervals are wider than the figure

std::optional<Estimate> walltime_s(const GroupSummary& summary) {
  return scaled(summary.walltime_ns, 1 / kNsPerS);
}

std::optional<double> predicted_walltime_s(const Prediction& prediction) {
  const auto predicted =
      prediction.paced_walltime_ns ? prediction.paced_walltime_ns : prediction.walltime_ns;
  if (!predicted) return std::nullopt;
  return *predicted / kNsPerS;
}

constexpr const char* kPacedBasis =
    "predicted from pilot prompts, at the pace of the machine while measuring";

double temperature(const Group& group) { return group.axes.temperature; }

Figure over_temperature(const FigureData& data, Figure figure, const Shown& shown) {
  const auto lines = primary_lines(data);
  figure.caption += fmt::format(" Target {}.", primary_model(data.run.manifest, data.pooled));
  if (has_one_point_a_line(lines)) {
    figure.title += fmt::format(" at temperature {}", short_number(lowest_temperature(lines)));
    add_places(lines, shown, figure);
    return figure;
  }
  figure.title += " against temperature";
  figure.x = {.label = "temperature"};
  add_lines(lines, shown, figure);
  return figure;
}

Mark mark_of(const Manifest& manifest, const Group& group) {
  const bool is_trained = manifest.target(group.axes.model).weights == Weights::trained;
  return !is_trained || group.summary.forced_acceptance || group.summary.is_lossy() ? Mark::hollow
                                                                                    : Mark::filled;
}

/// Whether lines have a target of such weights.
bool have_weights(const Manifest& manifest, const std::vector<Line>& lines, Weights weights) {
  return std::ranges::any_of(groups_of(lines), [&](const Group* group) {
    return manifest.target(group->axes.model).weights == weights;
  });
}

/// Notes on targets that are no models by themselves.
std::string notes_on_weights(const Manifest& manifest, const std::vector<Line>& lines) {
  std::string notes;
  if (have_weights(manifest, lines, Weights::random))
    notes +=
        " Hollow marks: shape models with random weights; their time is real, their acceptance is "
        "replayed.";
  if (have_weights(manifest, lines, Weights::widened))
    notes += fmt::format(" Hollow marks: widened models. {}", kWidenedNote);
  return notes;
}

std::size_t num_values(const std::vector<Group>& groups,
                       const std::function<std::string(const Group&)>& value) {
  std::set<std::string> values;
  for (const auto& group : groups) values.insert(value(group));
  return values.size();
}

}  // namespace

Figure walltime_vs_temperature(const FigureData& data) {
  return over_temperature(data,
                          {.id = "walltime_vs_temperature",
                           .title = "Walltime",
                           .caption = "Mean walltime of a generation, prefill included.",
                           .y = {.label = "walltime of a generation, s"}},
                          {.x = temperature,
                           .measured = walltime_s,
                           .predicted = predicted_walltime_s,
                           .prediction_basis = kPacedBasis});
}

Figure speedup_vs_temperature(const FigureData& data) {
  return over_temperature(
      data, speedup_frame("speedup"),
      {.x = temperature,
       .measured = [](const GroupSummary& s) { return s.speedup; },
       .predicted = [](const Prediction& p) { return p.speedup; },
       .predicted_interval = [](const Prediction& p) { return p.speedup_interval; }});
}

Figure tokens_per_round_vs_temperature(const FigureData& data) {
  return over_temperature(data, tokens_per_round_frame("tokens_per_round"),
                          {temperature, [](const GroupSummary& s) { return s.tokens_per_round; },
                           [](const Prediction& p) { return p.tokens_per_round; }});
}

Figure walltime_vs_model_size(const FigureData& data) {
  const auto all = make_lines(data.pooled);
  const double lowest = lowest_temperature(all);
  Figure figure{
      .id = "walltime_vs_model_size",
      .title = "Walltime against model size",
      .caption = fmt::format("Mean walltime of a generation at temperature {}, prefill included.",
                             short_number(lowest)),
      .x = {.label = "parameters of the target", .scale = Scale::logarithmic},
      .y = {.label = "walltime of a generation, s", .scale = Scale::logarithmic}};
  const auto size = [&](const Group& group) {
    return static_cast<double>(data.run.manifest.target(group.axes.model).parameters);
  };
  const auto mark = [&](const Group& group) { return mark_of(data.run.manifest, group); };
  const auto lines = at_temperature(all, lowest);
  add_lines(lines, {size, walltime_s, predicted_walltime_s, mark, kPacedBasis}, figure);
  figure.caption += notes_on_weights(data.run.manifest, lines);
  return figure;
}

Figure speedup_by_category(const FigureData& data) {
  const std::string model = primary_model(data.run.manifest, data.by_category);
  const auto all = filtered(make_lines(data.by_category),
                            [&](const Group& group) { return group.axes.model == model; });
  const double lowest = lowest_temperature(all);
  Figure figure{.id = "speedup_by_category",
                .title = "Speed-up by kind of prompt",
                .caption = fmt::format("Speed-up over plain decoding at temperature {}. Target {}.",
                                       short_number(lowest), model),
                .kind = FigureKind::marks,
                .y = {.label = "speed-up"},
                .reference = ReferenceLine{1.0, "plain decoding"}};
  std::set<std::string> categories;
  for (const auto& group : data.by_category) categories.insert(group.category);
  for (const auto& category : categories) figure.x.names.push_back(readable(category));
  const auto position = [&](const Group& group) {
    return static_cast<double>(std::distance(categories.begin(), categories.find(group.category)));
  };
  add_lines(at_temperature(all, lowest),
            {position, [](const GroupSummary& s) { return s.speedup; },
             [](const Prediction&) { return std::optional<double>(); }},
            figure);
  return figure;
}

std::vector<Figure> build_figures(const FigureData& data, Bootstrap& bootstrap) {
  std::vector<Figure> figures = {walltime_vs_temperature(data), speedup_vs_temperature(data),
                                 tokens_per_round_vs_temperature(data)};
  if (const auto predicted = prediction_figure(data)) figures.push_back(*predicted);
  if (num_values(data.pooled, [](const Group& group) { return group.axes.model; }) > 1)
    figures.push_back(walltime_vs_model_size(data));
  std::ranges::move(drafter_size_figures(data), std::back_inserter(figures));
  const bool several_prompts = std::ranges::all_of(data.by_category, [](const Group& group) {
    return group.summary.n_prompts >= kFewestPromptsOfACategory;
  });
  const auto category = [](const Group& group) { return group.category; };
  if (several_prompts && num_values(data.by_category, category) > 1)
    figures.push_back(speedup_by_category(data));
  figures.push_back(acceptance_by_position_figure(data, bootstrap));
  figures.push_back(time_split(data));
  std::erase_if(figures, [](const Figure& figure) { return figure.series.empty(); });
  return figures;
}

Figure acceptance_by_position_figure(const FigureData& data, Bootstrap& bootstrap) {
  const auto all = primary_lines(data);
  const double lowest = lowest_temperature(all);
  Figure figure{
      .id = "acceptance_by_position",
      .title = "Acceptance by position",
      .caption = fmt::format("Probability that at least so many drafted tokens are accepted, at "
                             "temperature {}; shorter drafts do not count as rejections.",
                             short_number(lowest)),
      .x = {.label = "position in the draft"},
      .y = {.label = "survival"}};
  const auto lines = filtered(at_temperature(all, lowest),
                              [](const Group& group) { return !group.axes.is_plain(); });
  for (const auto& line : lines) {
    Series series{.name = line.name, .colour = line.colour};
    for (const auto& at :
         acceptance_by_depth(line.groups.front()->generations, data.run, bootstrap)) {
      series.points.push_back(make_point(at.depth, at.survival, Mark::filled));
    }
    if (!series.points.empty()) figure.series.push_back(std::move(series));
  }
  if (!lines.empty()) figure.caption += " " + describe_intervals(groups_of(lines));
  return figure;
}

Figure time_split(const FigureData& data) {
  const auto all = primary_lines(data);
  const double lowest = lowest_temperature(all);
  const auto lines = at_temperature(all, lowest);
  Figure figure{
      .id = "time_split",
      .title = "Time of a round by part",
      .caption = fmt::format(
          "Mean time of a round at temperature {}; a round of plain decoding is one step. {}",
          short_number(lowest), describe_intervals(groups_of(lines))),
      .kind = FigureKind::stacked_bars,
      .y = {.label = "time of a round, ms"},
      .series = {{.name = "target", .colour = 1},
                 {.name = "draft", .colour = 2},
                 {.name = "verify", .colour = 3},
                 {.name = "other", .colour = 0}}};
  for (const auto& line : lines) {
    const double x = static_cast<double>(figure.x.names.size());
    const GroupSummary& summary = line.groups.front()->summary;
    const TimeSplit& split = summary.split;
    figure.x.names.push_back(line.name);
    const double parts[] = {split.target_ns, split.draft_ns, split.verify_ns, split.other_ns};
    for (std::size_t i = 0; i < std::size(parts); ++i)
      figure.series[i].points.push_back({.x = x, .y = parts[i] / kNsPerMs});
    figure.totals.push_back(make_point(x, scaled(summary.round_ns, 1 / kNsPerMs), Mark::filled));
  }
  return figure;
}

}  // namespace speclab::analysis
