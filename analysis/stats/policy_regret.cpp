#include "analysis/stats/policy_regret.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "analysis/stats/pair_costs.h"

namespace speclab::analysis {
namespace {

/// Sums over a prompt's generations.
struct Sums {
  double surface_ns = 0, measured_ns = 0, tokens = 0;
};

using ByPrompt = std::map<std::string, Sums>;

/// All but the policy.
Setting setting_of(Setting axes) {
  axes.policy.clear();
  return axes;
}

/// Without the prompts that another policy has no generation of.
void keep_shared(std::vector<ByPrompt>& policies) {
  const ByPrompt first = policies.front();
  for (const auto& [prompt, sums] : first)
    if (std::ranges::any_of(policies,
                            [&](const ByPrompt& policy) { return !policy.contains(prompt); }))
      for (ByPrompt& policy : policies) policy.erase(prompt);
  for (ByPrompt& policy : policies)
    std::erase_if(policy,
                  [&](const auto& entry) { return !policies.front().contains(entry.first); });
}

double ns_per_token(const ByPrompt& policy, double Sums::* ns) {
  double sum = 0, tokens = 0;
  for (const auto& [prompt, sums] : policy) sum += sums.*ns, tokens += sums.tokens;
  return sum / tokens;
}

/// Time a token of one over that of the other, the same prompts in both, less one.
Estimate excess(const ByPrompt& own, const ByPrompt& other, double Sums::* ns,
                Bootstrap& bootstrap) {
  std::array<ClusterTotals, 2> factors;
  for (const auto& [prompt, sums] : own) factors[0].add(sums.*ns, sums.tokens);
  for (const auto& [prompt, sums] : other) factors[1].add(sums.tokens, sums.*ns);
  Estimate ratio = bootstrap.product_of_ratios(factors);
  ratio.value -= 1;
  if (ratio.interval) ratio.interval->low -= 1, ratio.interval->high -= 1;
  return ratio;
}

/// What the tokens of a round take at least: the draft that is kept, or plain steps.
double least_ns(const Round& round, const sim::CostSurface& costs) {
  SurfaceTimes kept, plain;
  const std::int64_t drafted = round.emitted - 1;
  kept.add_round(costs, {.position = round.position,
                         .rows = round.emitted,
                         .depth = drafted,
                         .accepted = drafted,
                         .emitted = round.emitted});
  for (std::int64_t i = 0; i < round.emitted; ++i)
    plain.add_round(costs, {.position = round.position + i, .rows = 1, .emitted = 1});
  return std::min(kept.rounds_ns(), plain.rounds_ns());
}

ByPrompt times_of(const Run& run, const Group& group, const PairCosts& costs) {
  ByPrompt times;
  for (const Generation* g : group.generations) {
    Sums& sums = times[g->cluster()];
    sums.surface_ns += surface_times(run, *g, costs).rounds_ns();
    sums.measured_ns += static_cast<double>(g->decode_ns);
    sums.tokens += static_cast<double>(g->output_tokens);
  }
  return times;
}

/// Of one that knows what the rounds of these generations keep.
ByPrompt clairvoyant_times(const Run& run, const Group& longest, const PairCosts& costs) {
  ByPrompt times;
  for (const Generation* g : longest.generations) {
    Sums& sums = times[g->cluster()];
    sums.tokens += static_cast<double>(g->output_tokens);
    if (g->drafting_rounds > 0)
      sums.surface_ns += costs.drafter_prefill_ns(static_cast<int>(g->prompt_tokens));
    for (std::size_t i = 0; i < static_cast<std::size_t>(g->rounds); ++i)
      sums.surface_ns += least_ns(run.rounds[g->first_round + i], *costs.surface);
  }
  return times;
}

/// Index of the group of the greatest constant length. @param groups  one of them has such a policy
std::size_t longest_static(const std::vector<const Group*>& groups) {
  return static_cast<std::size_t>(
      std::ranges::max_element(
          groups, {}, [](const Group* group) { return static_length(group->axes).value_or(-1); }) -
      groups.begin());
}

/// Index of the constant length of the least time on the cost surface.
std::size_t best_static(const std::vector<const Group*>& groups,
                        const std::vector<ByPrompt>& times) {
  std::size_t best = longest_static(groups);
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (static_length(groups[i]->axes) &&
        ns_per_token(times[i], &Sums::surface_ns) < ns_per_token(times[best], &Sums::surface_ns))
      best = i;
  return best;
}

/// Nothing where costs are missing, or no prompt has generations of all policies.
std::optional<PolicyComparison> compare(const Run& run, const std::vector<const Group*>& groups,
                                        const std::vector<CostRow>& costs, Bootstrap& bootstrap) {
  std::vector<ByPrompt> times;
  for (const Group* group : groups) {
    const auto own_costs = costs_of_cell(costs, group->axes);
    if (!own_costs) return std::nullopt;
    times.push_back(times_of(run, *group, *own_costs));
  }
  const std::size_t longest = longest_static(groups);
  times.push_back(
      clairvoyant_times(run, *groups[longest], *costs_of_cell(costs, groups[longest]->axes)));
  keep_shared(times);
  const ByPrompt bound = times.back();
  if (bound.empty()) return std::nullopt;
  times.pop_back();
  const std::size_t best = best_static(groups, times);
  PolicyComparison comparison{.best_static = groups[best],
                              .longest_static = groups[longest],
                              .clairvoyant_ns_per_token = ns_per_token(bound, &Sums::surface_ns),
                              .num_prompts = bound.size(),
                              .regrets = {}};
  for (std::size_t i = 0; i < groups.size(); ++i)
    comparison.regrets.push_back(
        {.group = groups[i],
         .ns_per_token = ns_per_token(times[i], &Sums::surface_ns),
         .to_static = excess(times[i], times[best], &Sums::surface_ns, bootstrap),
         .to_clairvoyant = excess(times[i], bound, &Sums::surface_ns, bootstrap),
         .measured_to_static = excess(times[i], times[best], &Sums::measured_ns, bootstrap)});
  return comparison;
}

}  // namespace

std::optional<int> static_length(const Setting& axes) {
  constexpr std::string_view kConstant = "constant:";
  if (axes.is_plain()) return 0;
  if (!axes.policy.starts_with(kConstant)) return std::nullopt;
  int length = 0;
  std::from_chars(axes.policy.data() + kConstant.size(), axes.policy.data() + axes.policy.size(),
                  length);
  return length;
}

std::vector<PolicyComparison> policy_comparisons(const Run& run, const std::vector<Group>& groups,
                                                 const std::vector<CostRow>& costs,
                                                 Bootstrap& bootstrap) {
  std::vector<std::pair<Setting, std::vector<const Group*>>> settings;
  for (const Group& group : groups) {
    if (group.axes.is_plain() || group.summary.forced_acceptance) continue;
    auto found = std::ranges::find(settings, setting_of(group.axes),
                                   &std::pair<Setting, std::vector<const Group*>>::first);
    if (found == settings.end())
      found = settings.insert(settings.end(), {setting_of(group.axes), {}});
    found->second.push_back(&group);
  }
  std::vector<PolicyComparison> comparisons;
  for (auto& [setting, members] : settings) {
    const bool has_static = std::ranges::any_of(
        members, [](const Group* group) { return static_length(group->axes).value_or(0) > 0; });
    if (members.size() < 2 || !has_static) continue;
    const auto plain = std::ranges::find(groups, members.front()->axes.plain(), &Group::axes);
    if (plain != groups.end()) members.insert(members.begin(), &*plain);
    if (auto comparison = compare(run, members, costs, bootstrap))
      comparisons.push_back(std::move(*comparison));
  }
  return comparisons;
}

}  // namespace speclab::analysis
