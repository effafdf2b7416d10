#include "analysis/plots/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "analysis/plots/figure_series.h"
#include "analysis/plots/figure_text.h"
#include "analysis/plots/lines.h"

namespace speclab::analysis {
namespace {

constexpr double kPercent = 100;

/// Model and sampling setting.
Setting setting_of(const PolicyComparison& comparison) {
  return comparison.longest_static->axes.plain();
}

/// Of the comparisons of one setting: "28", "14 to 28".
std::string prompts_text(const std::vector<PolicyComparison>& comparisons, const Setting& setting) {
  std::size_t fewest = std::numeric_limits<std::size_t>::max(), most = 0;
  for (const PolicyComparison& comparison : comparisons)
    if (setting_of(comparison) == setting) {
      fewest = std::min(fewest, comparison.num_prompts);
      most = std::max(most, comparison.num_prompts);
    }
  return range_text(fewest, most);
}

Figure empty_figure(const std::vector<PolicyComparison>& comparisons, const Setting& setting,
                    std::size_t number) {
  return {.id = fmt::format("policy_regret_{}", number),
          .title = fmt::format("Loss of policies against one that knows the future, temperature {}",
                               short_number(setting.temperature)),
          .caption = fmt::format(
              "Target {}. Extra time of decoding against drafts of exactly the tokens that will be "
              "kept. Rounds count with their cost on the cost surface; the bound drafts no longer "
              "than the longest constant length. Bars: 95 % intervals over {} prompts.",
              setting.model, prompts_text(comparisons, setting)),
          .kind = FigureKind::marks,
          .y = {.label = "regret, %"},
          .reference = std::nullopt};
}

/// Those of one setting: constant lengths in their order, then the others in that of the run.
std::vector<std::string> policies_of(const std::vector<PolicyComparison>& comparisons,
                                     const Setting& setting) {
  std::vector<std::pair<int, std::string>> policies;
  for (const PolicyComparison& comparison : comparisons)
    for (const Regret& regret : comparison.regrets) {
      const std::pair policy{
          static_length(regret.group->axes).value_or(std::numeric_limits<int>::max()),
          regret.group->axes.policy};
      const bool is_shown = setting_of(comparison) == setting && !regret.group->axes.is_plain();
      if (is_shown && std::ranges::find(policies, policy) == policies.end())
        policies.push_back(policy);
    }
  std::ranges::stable_sort(policies, {}, &std::pair<int, std::string>::first);
  std::vector<std::string> names;
  for (const auto& [length, name] : policies) names.push_back(name);
  return names;
}

/// Plain decoding, whose regret would need another scale, is left to the table.
void add_series(const PolicyComparison& comparison, Figure& figure) {
  const Setting& axes = comparison.longest_static->axes;
  Series series{.name = readable(axes.drafter) + (axes.tree == "chain" ? "" : " " + axes.tree),
                .colour = figure.series.size() + 1};
  for (const Regret& regret : comparison.regrets)
    if (!regret.group->axes.is_plain())
      series.points.push_back(make_point(place_named(figure.x, regret.group->axes.policy),
                                         scaled(regret.to_clairvoyant, kPercent)));
  figure.series.push_back(std::move(series));
}

}  // namespace

std::vector<Figure> regret_figures(const std::vector<PolicyComparison>& comparisons) {
  std::vector<Setting> settings;
  std::vector<Figure> figures;
  for (const PolicyComparison& comparison : comparisons) {
    const auto found = std::ranges::find(settings, setting_of(comparison));
    const auto index = static_cast<std::size_t>(found - settings.begin());
    if (found == settings.end()) {
      settings.push_back(setting_of(comparison));
      figures.push_back(empty_figure(comparisons, settings.back(), settings.size()));
      figures.back().x.names = policies_of(comparisons, settings.back());
    }
    add_series(comparison, figures[index]);
  }
  return figures;
}

}  // namespace speclab::analysis
