#include "analysis/plots/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/plots/figure_series.h"
#include "analysis/plots/figure_text.h"

namespace speclab::analysis {
namespace {

constexpr std::size_t kFewestSizes = 3;

/// As the config has it of a drafter that it names; else empty.
std::string kind_of(const Manifest& manifest, const std::string& drafter) {
  const auto found = std::ranges::find(manifest.config, "drafters." + drafter + ".kind",
                                       &std::pair<std::string, std::string>::first);
  return found == manifest.config.end() ? "" : found->second;
}

/// Parameters of a drafter of its own; 0 where the manifest does not have them.
double size_of(const Manifest& manifest, const std::string& drafter) {
  const auto is_it = [&](const ModelProvenance& model) {
    return model.role == ModelRole::drafter && model.name == drafter;
  };
  const auto found = std::ranges::find_if(manifest.models, is_it);
  return found == manifest.models.end() ? 0 : static_cast<double>(found->parameters);
}

/// What the drafters of a line share.
std::string line_of(const Manifest& manifest, const Group& group) {
  const std::string tree = group.axes.tree == "chain" ? "" : ", " + group.axes.tree;
  return fmt::format("{}, T = {}, {}{}, {}", readable(kind_of(manifest, group.axes.drafter)),
                     short_number(group.axes.temperature), group.axes.policy, tree,
                     readable(group.axes.verifier));
}

bool has_sizes(const Manifest& manifest, const Line& line) {
  std::set<double> sizes;
  for (const Group* group : line.groups) sizes.insert(size_of(manifest, group->axes.drafter));
  return sizes.size() >= kFewestSizes && sizes.size() == line.groups.size();
}

std::vector<Line> lines_over_sizes(const FigureData& data) {
  const Manifest& manifest = data.run.manifest;
  std::map<std::string, Line> by_name;
  for (const Line& line : primary_lines(data))
    for (const Group* group : line.groups) {
      if (kind_of(manifest, group->axes.drafter).empty() ||
          size_of(manifest, group->axes.drafter) == 0)
        continue;
      by_name[line_of(manifest, *group)].groups.push_back(group);
    }
  std::vector<Line> lines;
  for (auto& [name, line] : by_name)
    if (has_sizes(manifest, line))
      lines.push_back({.name = name, .colour = lines.size() + 1, .groups = std::move(line.groups)});
  return lines;
}

Figure over_size(const FigureData& data, const std::vector<Line>& lines, Figure figure,
                 Shown shown) {
  figure.title += " against the size of the drafter";
  figure.caption += fmt::format(" Target {}.", primary_model(data.run.manifest, data.pooled));
  figure.x = {.label = "weights of the drafter's own", .scale = Scale::logarithmic};
  shown.x = [&](const Group& group) { return size_of(data.run.manifest, group.axes.drafter); };
  add_lines(lines, shown, figure);
  return figure;
}

}  // namespace

std::vector<Figure> drafter_size_figures(const FigureData& data) {
  const std::vector<Line> lines = lines_over_sizes(data);
  if (lines.empty()) return {};
  return {over_size(data, lines, speedup_frame("speedup_vs_drafter_size"),
                    {.measured = [](const GroupSummary& s) { return s.speedup; },
                     .predicted = [](const Prediction& p) { return p.speedup; }}),
          over_size(data, lines, tokens_per_round_frame("tokens_per_round_vs_drafter_size"),
                    {.measured = [](const GroupSummary& s) { return s.tokens_per_round; },
                     .predicted = [](const Prediction& p) { return p.tokens_per_round; }})};
}

}  // namespace speclab::analysis
