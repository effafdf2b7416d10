#include "experiments/drivers/measure/forward_costs.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/drivers/measure/workbench.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr std::int64_t kMostCachedBytes =
    std::int64_t{64}
    << 20;  ///< weights up to this size may stay in a last-level cache from round to round

std::set<int> rows_of(const Plan& plan, const std::string& model) {
  std::set<int> rows(plan.config.costs.rows.begin(), plan.config.costs.rows.end());
  for (const Setting& drafting : plan.draftings_of(model))
    for (const int needed : rows_of_depth(drafting, plan.max_length())) rows.insert(needed);
  return rows;
}

}  // namespace

std::pair<int, int> prompt_lengths(const LoadedPlan& loaded, const std::string& model) {
  const auto [shortest, longest] = std::ranges::minmax(loaded.texts_of(model).prompts, {},
                                                       [](const auto& ids) { return ids.size(); });
  return {static_cast<int>(shortest.size()), static_cast<int>(longest.size())};
}

ForwardCosts::ForwardCosts(Workbench& bench, const std::string& model)
    : rows_(rows_of(bench.plan(), model)),
      follows_its_like_(bench.model(model).info().weight_bytes <= kMostCachedBytes) {
  const auto [shortest, longest] = prompt_lengths(bench.loaded(), model);
  const int room = bench.model(model).info().context_length - *rows_.rbegin();
  if (room < 0)
    throw ConfigError(
        fmt::format("costs.rows and the draftings need forwards of {} rows; {} has a context of "
                    "{}; lower costs.rows",
                    *rows_.rbegin(), model, bench.model(model).info().context_length));
  const int first = std::min(shortest - 1, room),
            last = std::min(longest + bench.plan().config.prompts.new_tokens, room);
  for (const int context : std::set<int>{first, (first + last) / 2, last})
    timers_.emplace_back(context, ForwardTimer(bench.model(model), context, *rows_.rbegin(),
                                               bench.loaded().texts_of(model).pilots.front()));
}

std::vector<ForwardTime> ForwardCosts::time_once(std::size_t which) {
  std::vector<ForwardTime> timings;
  ForwardTimer& timer = timers_[which].second;
  timer.forward_ns(1);
  for (const int rows : rows_) {
    if (follows_its_like_) timer.forward_ns(rows);
    timings.push_back({rows, timer.forward_ns(rows)});
  }
  return timings;
}

}  // namespace speclab::experiments
