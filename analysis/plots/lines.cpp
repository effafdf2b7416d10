#include "analysis/plots/lines.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analysis/plots/figure_text.h"

namespace speclab::analysis {
namespace {

/// What distinguishes lines, as label texts; entry 0 is the drafter. A shape model's replayed
/// verdicts are no line of their own: they continue that of the verifier whose verdicts they
/// repeat, and the mark tells.
std::vector<std::string> line_labels(const Setting& axes) {
  return {axes.is_plain() ? "plain decoding" : readable(axes.drafter),
          readable(axes.tree),
          readable(axes.policy),
          axes.verifier == "replay" ? "" : readable(axes.verifier),
          "top-k " + std::to_string(axes.top_k),
          "top-p " + short_number(axes.top_p),
          "min-p " + short_number(axes.min_p),
          "repetition penalty " + short_number(axes.repetition_penalty),
          readable(axes.weights),
          axes.activations.empty() ? "" : readable(axes.activations) + " activations",
          "batch " + std::to_string(axes.batch),
          axes.generation};
}

/// The labels that take several values among the groups; plain decoding's missing tree, policy and
/// verifier do not count.
std::vector<std::size_t> varying_labels(const std::vector<Group>& groups) {
  std::vector<std::set<std::string>> values(line_labels({}).size());
  for (const auto& group : groups) {
    const auto labels = line_labels(group.axes);
    for (std::size_t i = 1; i < labels.size(); ++i) {
      if (!labels[i].empty()) values[i].insert(labels[i]);
    }
  }
  std::vector<std::size_t> varying;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i].size() > 1) varying.push_back(i);
  }
  return varying;
}

std::string lossless_name(const Setting& axes, const std::vector<std::size_t>& varying) {
  const auto labels = line_labels(axes);
  std::string name = labels[0];
  for (const std::size_t i : varying) {
    if (!labels[i].empty() && labels[i] != "chain")
      name += ", " + labels[i];  // a chain is what one expects
  }
  return name;
}

/// Names of lines. Where a rule changes the law, the name says by how much, over all groups of the
/// line.
class LineNames {
 public:
  explicit LineNames(const std::vector<Group>& groups) : varying_(varying_labels(groups)) {
    for (const Group& group : groups) {
      const std::optional<double>& distance = group.summary.law_distance;
      if (!distance) continue;
      const auto [found, is_new] =
          distances_.try_emplace(lossless_name(group.axes, varying_), *distance, *distance);
      found->second = {std::min(found->second.first, *distance),
                       std::max(found->second.second, *distance)};
    }
  }

  std::string of(const Group& group) const {
    std::string name = lossless_name(group.axes, varying_);
    const auto found = distances_.find(name);
    if (found == distances_.end()) return name;
    return name + lossy_suffix(found->second.first, found->second.second);
  }

 private:
  std::vector<std::size_t> varying_;
  std::map<std::string, std::pair<double, double>> distances_;  ///< least and most
};

}  // namespace

std::string line_name(const std::vector<Group>& groups, const Group& group) {
  return LineNames(groups).of(group);
}

std::vector<Line> make_lines(const std::vector<Group>& groups) {
  const LineNames names(groups);
  std::vector<Line> lines;
  for (const auto& group : groups) {
    const std::string name = names.of(group);
    auto found = std::ranges::find(lines, name, &Line::name);
    if (found == lines.end())
      found = lines.insert(lines.end(), Line{.name = name, .colour = 0, .groups = {}});
    found->groups.push_back(&group);
  }
  std::ranges::stable_partition(lines, &Line::is_plain);
  std::size_t colour = 0;
  for (auto& line : lines) line.colour = line.is_plain() ? 0 : ++colour;
  return lines;
}

std::string primary_model(const Manifest& manifest, const std::vector<Group>& groups) {
  const auto has_groups = [&](const ModelProvenance& model) {
    return model.role == ModelRole::target && model.weights != Weights::random &&
           std::ranges::any_of(groups,
                               [&](const Group& group) { return group.axes.model == model.name; });
  };
  const auto found = std::ranges::find_if(manifest.models, has_groups);
  return found != manifest.models.end() ? found->name : groups.front().axes.model;
}

}  // namespace speclab::analysis
