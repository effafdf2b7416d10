#include "analysis/plots/kind_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>

#include "analysis/plots/figure_series.h"
#include "analysis/plots/figure_text.h"

namespace speclab::analysis {
namespace {

using Drafters = std::vector<DrafterAcceptance>;

constexpr double kLeastSurvival = 1e-3;  ///< a depth reached less often is not drawn

/// Model and sampling: what cells of one figure share.
Setting sampling_of(const DrafterAcceptance& drafter) { return drafter.axes.plain(); }

/// The same in every figure: the place of its name among all.
std::size_t colour_of(const DrafterAcceptance& drafter, const Drafters& all) {
  std::vector<std::string> names;
  for (const DrafterAcceptance& d : all)
    if (const std::string name = drafter_name(d, all);
        std::ranges::find(names, name) == names.end())
      names.push_back(name);
  return static_cast<std::size_t>(std::ranges::find(names, drafter_name(drafter, all)) -
                                  names.begin()) +
         1;
}

/// The line of the drafter, made where it is not there.
Series& line(Figure& figure, const DrafterAcceptance& drafter, const Drafters& all) {
  Series& series = series_named(figure, drafter_name(drafter, all));
  series.colour = colour_of(drafter, all);
  return series;
}

/// "N places of M prompts a drafter", of those that are meant.
std::string places_text(const Drafters& drafters,
                        const std::function<bool(const DrafterAcceptance&)>& is_meant) {
  std::int64_t fewest = INT64_MAX, most = 0;
  std::size_t prompts = 0;
  for (const DrafterAcceptance& d : drafters) {
    if (!is_meant(d)) continue;
    fewest = std::min(fewest, d.positions);
    most = std::max(most, d.positions);
    prompts = std::max(prompts, d.prompts);
  }
  return fmt::format("{} places of {} prompts a drafter",
                     range_text(static_cast<std::size_t>(fewest), static_cast<std::size_t>(most)),
                     prompts);
}

std::string sample_text(const Drafters& drafters, const Setting& sampling) {
  const std::string places =
      places_text(drafters, [&](const DrafterAcceptance& d) { return sampling_of(d) == sampling; });
  return fmt::format(
      "Target {}, temperature {}. All places of its own text, {}; bars: 95 % intervals over "
      "prompts.",
      sampling.model, short_number(sampling.temperature), places);
}

Figure empty_figure(const std::string& id, const std::string& title, const std::string& x,
                    const std::string& y, const std::string& caption) {
  return {.id = id,
          .title = title,
          .caption = caption,
          .x = {.label = x},
          .y = {.label = y, .range = Interval{0, 1}}};
}

Figure by_depth(const Drafters& drafters, const Setting& sampling, std::size_t number) {
  Figure figure = empty_figure(
      fmt::format("acceptance_by_depth_{}", number),
      fmt::format("Acceptance by depth, temperature {}", short_number(sampling.temperature)),
      "depth of the drafted token", "acceptance",
      "Sum of min(p, q), given that the tokens before were kept. " +
          sample_text(drafters, sampling));
  for (const DrafterAcceptance& d : drafters) {
    if (sampling_of(d) != sampling) continue;
    for (const DepthAcceptance& depth : d.depths)
      if (depth.depth == 1 || depth.survival.value >= kLeastSurvival)
        line(figure, d, drafters).points.push_back(make_point(depth.depth, depth.acceptance));
  }
  return figure;
}

/// Drafters whose law is known beyond its first token.
Figure by_rank(const Drafters& drafters, const Setting& sampling, std::size_t number) {
  Figure figure = empty_figure(
      fmt::format("in_top_k_{}", number),
      fmt::format("Is the target's token among the drafter's k most likely? Temperature {}",
                  short_number(sampling.temperature)),
      "k", "share of the target's law", "At depth 1. " + sample_text(drafters, sampling));
  for (const DrafterAcceptance& d : drafters) {
    if (sampling_of(d) != sampling || d.depths.empty() || d.depths.front().in_top.size() < 2)
      continue;
    const std::vector<Estimate>& shares = d.depths.front().in_top;
    for (std::size_t i = 0; i < shares.size(); ++i)
      line(figure, d, drafters).points.push_back(make_point(static_cast<double>(i + 1), shares[i]));
  }
  return figure;
}

Figure over_categories(const Drafters& by_category, const Setting& sampling, std::size_t number) {
  Figure figure = empty_figure(
      fmt::format("acceptance_by_category_{}", number),
      fmt::format("Acceptance of the first drafted token by category, temperature {}",
                  short_number(sampling.temperature)),
      "", "acceptance", "Sum of min(p, q) at depth 1. " + sample_text(by_category, sampling));
  figure.kind = FigureKind::marks;
  for (const DrafterAcceptance& d : by_category) {
    if (sampling_of(d) != sampling) continue;
    const double place = place_named(figure.x, d.category);
    if (!d.depths.empty())
      line(figure, d, by_category).points.push_back(make_point(place, d.depths.front().acceptance));
  }
  for (std::string& name : figure.x.names) name = readable(name);
  return figure;
}

Figure over_temperature(const Drafters& drafters, const std::string& model, std::size_t number) {
  Figure figure = empty_figure(
      fmt::format("acceptance_over_temperature_{}", number),
      "Acceptance of the first drafted token over temperature", "temperature", "acceptance",
      fmt::format("Target {}. Sum of min(p, q) at depth 1; at each temperature {}; bars: 95 % "
                  "intervals over prompts.",
                  model, places_text(drafters, [&](const DrafterAcceptance& d) {
                    return d.axes.model == model;
                  })));
  for (const DrafterAcceptance& d : drafters)
    if (d.axes.model == model && !d.depths.empty())
      line(figure, d, drafters)
          .points.push_back(make_point(d.axes.temperature, d.depths.front().acceptance));
  for (Series& series : figure.series) std::ranges::sort(series.points, {}, &Point::x);
  return figure;
}

void add_if_drawn(std::vector<Figure>& figures, Figure figure) {
  if (!figure.series.empty()) figures.push_back(std::move(figure));
}

}  // namespace

std::string drafter_name(const DrafterAcceptance& drafter, const Drafters& all) {
  const auto differs = [&](auto member) {
    return std::ranges::any_of(all, [&](const DrafterAcceptance& d) {
      return d.axes.drafter == drafter.axes.drafter && d.axes.*member != drafter.axes.*member;
    });
  };
  std::string name = readable(drafter.axes.drafter);
  if (differs(&Setting::tree)) name += " " + drafter.axes.tree;
  if (differs(&Setting::policy)) name += " " + drafter.axes.policy;
  return name;
}

std::vector<Figure> acceptance_figures(const Drafters& pooled, const Drafters& by_category) {
  std::vector<Setting> samplings;
  std::set<std::string> models;
  std::vector<Figure> figures;
  for (const DrafterAcceptance& d : pooled) {
    models.insert(d.axes.model);
    if (std::ranges::find(samplings, sampling_of(d)) == samplings.end())
      samplings.push_back(sampling_of(d));
  }
  for (const std::string& model : models) {
    const auto of_model = std::ranges::count(samplings, model, &Setting::model);
    if (of_model > 1) add_if_drawn(figures, over_temperature(pooled, model, figures.size() + 1));
  }
  for (std::size_t i = 0; i < samplings.size(); ++i) {
    add_if_drawn(figures, by_depth(pooled, samplings[i], i + 1));
    add_if_drawn(figures, by_rank(pooled, samplings[i], i + 1));
    add_if_drawn(figures, over_categories(by_category, samplings[i], i + 1));
  }
  return figures;
}

}  // namespace speclab::analysis
