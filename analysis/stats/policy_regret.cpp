#include "analysis/stats/policy_regret.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "analysis/stats/surface_times.h"

namespace speclab::analysis {
namespace {

using ByPrompt = std::map<std::string, double>;

/// Sums over the generations of a group, by prompt.
struct Times {
  ByPrompt surface_ns, measured_ns, tokens;
};

/// All but the policy.
CellAxes setting_of(CellAxes axes) {
  axes.policy.clear();
  return axes;
}

double total(const ByPrompt& sums) {
  double all = 0;
  for (const auto& [prompt, sum] : sums) all += sum;
  return all;
}

/// A ratio of totals over the prompts of both, less one.
Estimate excess(const ByPrompt& own, const ByPrompt& other, Bootstrap& bootstrap) {
  ClusterTotals totals;
  for (const auto& [prompt, sum] : own)
    if (const auto found = other.find(prompt); found != other.end()) totals.add(sum, found->second);
  Estimate ratio = bootstrap.ratio(totals);
  ratio.value -= 1;
  if (ratio.interval) ratio.interval->low -= 1, ratio.interval->high -= 1;
  return ratio;
}

/// The policies of one setting while they are compared.
class Comparer {
 public:
  Comparer(const Run& run, const std::vector<CostRow>& costs, Bootstrap& bootstrap) : run_(run), costs_(costs), bootstrap_(bootstrap) {}

  /// Nothing where costs are missing.
  std::optional<PolicyComparison> compare(const std::vector<const Group*>& groups) const {
    std::vector<Times> times;
    for (const Group* group : groups) {
      const auto costs = costs_of_cell(costs_, group->axes);
      if (!costs) return std::nullopt;
      times.push_back(times_of(*group, *costs));
    }
    PolicyComparison comparison;
    std::size_t best = groups.size();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (!static_length(groups[i]->axes)) continue;
      if (best == groups.size() || total(times[i].surface_ns) < total(times[best].surface_ns)) best = i;
      if (!comparison.longest || static_length(groups[i]->axes) > static_length(comparison.longest->axes)) comparison.longest = groups[i];
    }
    comparison.best_static = groups[best];
    const ByPrompt bound = clairvoyant_ns(*comparison.longest);
    for (std::size_t i = 0; i < groups.size(); ++i)
      comparison.regrets.push_back({.group = groups[i], .ns_per_token = total(times[i].surface_ns) / total(times[i].tokens),
                                    .over_static = excess(times[i].surface_ns, times[best].surface_ns, bootstrap_),
                                    .over_clairvoyant = excess(times[i].surface_ns, bound, bootstrap_),
                                    .measured_over_static = excess(times[i].measured_ns, times[best].measured_ns, bootstrap_)});
    comparison.clairvoyant_ns_per_token = total(bound) / total(times[best].tokens);
    return comparison;
  }

 private:
  Times times_of(const Group& group, const PairCosts& costs) const {
    Times times;
    for (const Generation* g : group.generations) {
      times.surface_ns[g->prompt_id] += surface_times(run_, *g, costs).rounds_ns();
      times.measured_ns[g->prompt_id] += static_cast<double>(g->decode_ns);
      times.tokens[g->prompt_id] += static_cast<double>(g->output_tokens);
    }
    return times;
  }

  ByPrompt clairvoyant_ns(const Group& longest) const {
    const PairCosts costs = *costs_of_cell(costs_, longest.axes);
    ByPrompt bound;
    for (const Generation* g : longest.generations) {
      double& sum = bound[g->prompt_id];
      if (g->drafting_rounds > 0) sum += costs.drafter_prefill_ns(static_cast<int>(g->prompt_tokens));
      for (std::size_t i = 0; i < static_cast<std::size_t>(g->rounds); ++i) sum += least_ns(run_.rounds[g->first_round + i], *costs.surface);
    }
    return bound;
  }

  /// What the tokens of a round take at least: the draft that is kept, or plain steps.
  static double least_ns(const Round& round, const sim::CostSurface& costs) {
    SurfaceTimes kept, plain;
    const std::int64_t drafted = round.emitted - 1;
    kept.add_round(costs, {.position = round.position, .rows = round.emitted, .depth = drafted, .accepted = drafted, .emitted = round.emitted});
    for (std::int64_t i = 0; i < round.emitted; ++i) plain.add_round(costs, {.position = round.position + i, .rows = 1, .emitted = 1});
    return std::min(kept.rounds_ns(), plain.rounds_ns());
  }

  const Run& run_;
  const std::vector<CostRow>& costs_;
  Bootstrap& bootstrap_;
};

}  // namespace

std::optional<int> static_length(const CellAxes& axes) {
  constexpr std::string_view kConstant = "constant:";
  if (axes.is_plain()) return 0;
  if (!axes.policy.starts_with(kConstant)) return std::nullopt;
  int length = 0;
  std::from_chars(axes.policy.data() + kConstant.size(), axes.policy.data() + axes.policy.size(), length);
  return length;
}

std::vector<PolicyComparison> policy_comparisons(const Run& run, const std::vector<Group>& groups, const std::vector<CostRow>& costs, Bootstrap& bootstrap) {
  std::vector<std::pair<CellAxes, std::vector<const Group*>>> settings;
  for (const Group& group : groups) {
    if (group.axes.is_plain() || group.summary.forced_acceptance) continue;
    auto found = std::ranges::find(settings, setting_of(group.axes), &std::pair<CellAxes, std::vector<const Group*>>::first);
    if (found == settings.end()) found = settings.insert(settings.end(), {setting_of(group.axes), {}});
    found->second.push_back(&group);
  }
  const Comparer comparer(run, costs, bootstrap);
  std::vector<PolicyComparison> comparisons;
  for (auto& [setting, members] : settings) {
    const bool has_static = std::ranges::any_of(members, [](const Group* group) { return static_length(group->axes).value_or(0) > 0; });
    if (members.size() < 2 || !has_static) continue;
    const auto plain = std::ranges::find(groups, members.front()->axes.plain(), &Group::axes);
    if (plain != groups.end()) members.insert(members.begin(), &*plain);
    if (auto comparison = comparer.compare(members)) comparisons.push_back(std::move(*comparison));
  }
  return comparisons;
}

}  // namespace speclab::analysis
