#include "experiments/drivers/measure/forward_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "experiments/drivers/config/generation_axis.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/measure/workbench.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr std::int64_t kMostCachedBytes =
    std::int64_t{64}
    << 20;  ///< weights up to this size may stay in a last-level cache from round to round

std::set<int> rows_of(const Plan& plan, const Setting& loaded) {
  std::set<int> rows(plan.config.costs.rows.begin(), plan.config.costs.rows.end());
  for (const Setting& setting : plan.draftings_of(loaded))
    for (const int needed : rows_of_depth(setting, plan.max_length()))
      rows.insert(needed * setting.batch * texts_of_step(plan.config, setting));
  return rows;
}

}  // namespace

ForwardTimer::ForwardTimer(engines::LanguageModel& model, int context, int max_rows,
                           std::vector<Token> tokens)
    : model_(model),
      tokens_(std::move(tokens)),
      cache_(model.make_cache(1, context + max_rows)),
      slot_(cache_->begin()) {
  while (cache_->length(slot_) < context) commit(std::min(256, context - cache_->length(slot_)));
}

double ForwardTimer::forward_ns(int rows) {
  const auto forward_rows = chain(rows);
  const auto begin = std::chrono::steady_clock::now();
  model_.forward(forward_rows, *cache_);
  return static_cast<double>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin)
          .count());
}

std::vector<engines::ForwardRow> ForwardTimer::chain(int rows) const {
  const std::int32_t context = cache_->length(slot_);
  std::vector<engines::ForwardRow> chain;
  for (int i = 0; i < rows; ++i)
    chain.push_back({tokens_[static_cast<std::size_t>(context + i) % tokens_.size()], context + i,
                     slot_, i - 1});
  return chain;
}

void ForwardTimer::commit(int rows) {
  auto forward_rows = chain(rows);
  for (engines::ForwardRow& row : forward_rows) row.wants_logits = false;
  std::vector<std::int32_t> path(forward_rows.size());
  std::iota(path.begin(), path.end(), 0);
  model_.forward(forward_rows, *cache_);
  cache_->commit(slot_, path);
}

std::pair<int, int> prompt_lengths(const LoadedPlan& loaded, const std::string& model) {
  const auto [shortest, longest] = std::ranges::minmax(loaded.texts_of(model).prompts, {},
                                                       [](const auto& ids) { return ids.size(); });
  return {static_cast<int>(shortest.size()), static_cast<int>(longest.size())};
}

ForwardCosts::ForwardCosts(Workbench& bench, const Setting& loaded)
    : rows_(rows_of(bench.plan(), loaded)),
      follows_its_like_(bench.model(loaded).info().weight_bytes <= kMostCachedBytes) {
  engines::LanguageModel& model = bench.model(loaded);
  const auto [shortest, longest] = prompt_lengths(bench.loaded(), loaded.model);
  const int room = model.info().context_length - *rows_.rbegin();
  if (room < 0)
    throw ConfigError(
        fmt::format("costs.rows and the draftings need forwards of {} rows; {} has a context of "
                    "{}; lower costs.rows",
                    *rows_.rbegin(), loaded.model, model.info().context_length));
  const int first = std::min(shortest - 1, room),
            last = std::min(longest + bench.plan().config.prompts.new_tokens, room);
  for (const int context : std::set<int>{first, (first + last) / 2, last})
    timers_.emplace_back(context,
                         ForwardTimer(model, context, *rows_.rbegin(),
                                      bench.loaded().texts_of(loaded.model).pilots.front()));
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

void PaceTaker::before(std::size_t row) {
  const Plan& plan = bench_.plan();
  if (plan.config.has_device_rounds()) return;
  const PlannedGeneration& next = plan.generations[row];
  const Cell& cell = plan.cells[next.cell];
  if (last_ == nullptr || !plan.are_compared(*last_, next)) {
    const std::string model = cell.setting.loaded_model();
    auto found = forwards_.find(model);
    if (found == forwards_.end())
      found = forwards_.emplace(model, ForwardCosts(bench_, cell.setting)).first;
    const std::size_t which = turn_++ % found->second.num_contexts();
    bench_.log().add(PaceEntry{static_cast<std::int64_t>(row), model, found->second.context(which),
                               found->second.time_once(which)});
  }
  last_ = &next;
}

std::vector<analysis::PaceRow> pace_rows(const RunLog& log) {
  std::vector<analysis::PaceRow> paces;
  log.for_each_pace([&](const PaceEntry& pace) {
    for (const auto& [rows, ns] : pace.forwards)
      paces.push_back({.row_id = pace.row_id,
                       .model = pace.model,
                       .rows = rows,
                       .context = pace.context,
                       .ns = ns});
  });
  return paces;
}

}  // namespace speclab::experiments
