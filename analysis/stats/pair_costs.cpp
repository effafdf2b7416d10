#include "analysis/stats/pair_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

sim::CostPoint to_point(const CostRow& row) {
  const double ns = row.ns.value;
  return {.kind = row.kind,
          .rows = static_cast<int>(row.rows),
          .context = static_cast<int>(row.context),
          .ns = ns,
          .ns_low = row.ns.interval ? row.ns.interval->low : ns,
          .ns_high = row.ns.interval ? row.ns.interval->high : ns,
          .n = static_cast<int>(row.ns.n)};
}

/// The points of one kind, continued as constants to 1 and very many rows, and to contexts 0 and
/// very long ones: a line through noise could turn negative there.
std::vector<sim::CostPoint> held_constant_outside(const std::vector<sim::CostPoint>& points) {
  constexpr int kFar = 1 << 20;
  std::map<std::pair<int, int>, sim::CostPoint> held;  // by context and rows
  for (const sim::CostPoint& point : points)
    held.insert_or_assign({point.context, point.rows}, point);
  std::set<int> contexts;
  for (const sim::CostPoint& point : points) contexts.insert(point.context);
  const auto copy = [&](sim::CostPoint point, int context, int rows) {
    point.context = context;
    point.rows = rows;
    held.try_emplace({context, rows}, point);
  };
  for (const int context : contexts) {
    const auto first = held.lower_bound({context, 0})->second;
    const auto last = std::prev(held.lower_bound({context + 1, 0}))->second;
    copy(first, context, 1);
    copy(last, context, kFar);
  }
  const auto inside = held;
  for (const auto& [place, point] : inside) {
    if (place.first == *contexts.begin()) copy(point, 0, point.rows);
    if (place.first == *contexts.rbegin()) copy(point, kFar, point.rows);
  }
  std::vector<sim::CostPoint> all;
  for (const auto& [place, point] : held) all.push_back(point);
  return all;
}

struct Timings {
  double sum_ns = 0;
  int count = 0;

  double mean_ns() const { return sum_ns / count; }
};

using Place = std::tuple<std::string, std::int64_t, std::int64_t>;  // model, context, rows

/// A point of a forward of all sequences as the share of one; nothing if they have not as many rows
/// each. Other points are shares already.
std::optional<sim::CostPoint> share_of(sim::CostPoint point, std::int64_t batch) {
  if (point.kind != sim::CostKind::target) return point;
  const auto sequences = static_cast<int>(batch);
  if (point.rows % sequences != 0) return std::nullopt;
  point.rows /= sequences;
  for (double* ns : {&point.ns, &point.ns_low, &point.ns_high}) *ns /= sequences;
  return point;
}

std::map<Place, Timings> timings_by_place(std::span<const PaceRow> paces) {
  std::map<Place, Timings> timings;
  for (const PaceRow& pace : paces) {
    Timings& at = timings[{pace.model, pace.context, pace.rows}];
    at.sum_ns += pace.ns;
    ++at.count;
  }
  return timings;
}

/// Replaces the costs of forwards. @return by model how many times longer the forwards of most rows
/// take now
std::map<std::string, double> replace_forwards(const std::map<Place, Timings>& timings,
                                               std::vector<CostRow>& costs) {
  std::map<std::string, std::pair<std::int64_t, std::pair<double, double>>>
      most;  // rows, totals now and before
  std::size_t replaced = 0;
  for (CostRow& row : costs) {
    const std::string model = row.setting.loaded_model();
    const auto found = row.kind == sim::CostKind::target
                           ? timings.find({model, row.context, row.rows})
                           : timings.end();
    if (found == timings.end()) continue;
    ++replaced;
    auto& [rows, totals] = most[model];
    if (row.rows > rows) totals = {0, 0};
    if (row.rows >= rows)
      totals = {totals.first + found->second.mean_ns(), totals.second + row.ns.value};
    rows = std::max(rows, row.rows);
    row.ns.value = found->second.mean_ns();
  }
  if (replaced != timings.size())
    throw DataError(
        "pace.csv times a forward that costs.csv lacks: both must come from this run; restore "
        "costs.csv from a copy, or let `speclab run --repair` write it from the journal");
  std::map<std::string, double> ratios;
  for (const auto& [model, last] : most) ratios[model] = last.second.first / last.second.second;
  return ratios;
}

std::string verifier_of(const std::vector<CostRow>& costs, const Setting& axes) {
  if (axes.verifier != "replay") return axes.verifier;
  const auto found = std::ranges::find_if(costs, [&](const CostRow& row) {
    return row.setting.model == axes.model && row.setting.drafter == axes.drafter &&
           row.setting.tree == axes.tree;
  });
  return found == costs.end() ? axes.verifier : found->setting.verifier;
}

}  // namespace

PairCosts pair_costs(std::span<const CostRow> costs, const Setting& setting) {
  std::vector<sim::CostPoint> points, drafts, overheads, drafter_prefills;
  const Setting key = setting_of_costs(setting);
  for (const CostRow& row : costs) {
    if (setting_of_forwards(row.setting) != setting_of_forwards(key)) continue;
    if (!row.regime)
      if (const auto point = share_of(to_point(row), key.batch)) points.push_back(*point);
    if (row.regime != setting.regime() || row.setting != key) continue;
    auto& kind = row.kind == sim::CostKind::draft      ? drafts
                 : row.kind == sim::CostKind::overhead ? overheads
                                                       : drafter_prefills;
    kind.push_back(to_point(row));
  }
  if (points.empty() || overheads.empty())
    throw DataError(fmt::format(
        "no costs of {} with {} were measured; begin again in another folder", escaped(key.model),
        key.drafter.empty() ? "plain decoding" : escaped(key.drafter)));
  for (const auto* kind : {&drafts, &overheads})
    if (!kind->empty()) std::ranges::copy(held_constant_outside(*kind), std::back_inserter(points));
  if (!drafter_prefills.empty()) drafter_prefills = held_constant_outside(drafter_prefills);
  std::erase_if(drafter_prefills, [](const sim::CostPoint& point) { return point.context != 0; });
  return {std::make_shared<sim::CostSurface>(std::move(points)),
          sim::CostSurface(std::move(drafter_prefills))};
}

std::vector<CostRow> paced_costs(std::vector<CostRow> costs, std::span<const PaceRow> paces) {
  if (paces.empty()) return {};
  const std::map<std::string, double> ratios = replace_forwards(timings_by_place(paces), costs);
  for (CostRow& row : costs)
    if (const auto ratio = ratios.find(row.setting.loaded_model());
        row.kind == sim::CostKind::prefill && row.setting.drafter.empty() && ratio != ratios.end())
      row.ns.value *= ratio->second;
  return costs;
}

void SurfaceTimes::add_round(const sim::CostSurface& costs, const Round& round) {
  const int rows = static_cast<int>(round.rows), depth = static_cast<int>(round.depth),
            context = static_cast<int>(round.position);
  const double target = costs.t_target_ns(rows, context), draft = costs.t_draft_ns(depth, context),
               overhead = costs.overhead_ns(rows, context);
  target_ns += target, draft_ns += draft, overhead_ns += overhead;
  const double unused = static_cast<double>(round.accepted + 1 - round.emitted) /
                        static_cast<double>(round.accepted + 1);
  ragged_ns += unused * (target + draft + overhead);
}

SurfaceTimes surface_times(const Run& run, const Generation& g, const PairCosts& costs) {
  SurfaceTimes times{.prefill_ns = costs.surface->prefill_ns(static_cast<int>(g.prompt_tokens))};
  if (!g.axes.has_rounds())
    for (std::int64_t i = 0; i < g.output_tokens; ++i)
      times.add_round(
          *costs.surface,
          {.row_id = g.row_id, .position = g.prompt_tokens + i, .rows = 1, .emitted = 1});
  else
    for (std::size_t i = 0; i < static_cast<std::size_t>(g.rounds); ++i)
      times.add_round(*costs.surface, run.rounds[g.first_round + i]);
  if (g.drafting_rounds > 0)
    times.draft_ns += costs.drafter_prefill_ns(static_cast<int>(g.prompt_tokens));
  return times;
}

std::optional<PairCosts> costs_of_cell(const std::vector<CostRow>& costs, const Setting& axes) {
  Setting setting = axes;
  setting.verifier = verifier_of(costs, axes);
  const Setting key = setting_of_costs(setting);
  const auto is_needed = [&](const CostRow& row) {
    return row.kind == sim::CostKind::overhead && row.regime == setting.regime() &&
           setting_of_forwards(row.setting) == setting_of_forwards(key) &&
           row.setting.drafter == key.drafter;
  };
  if (std::ranges::none_of(costs, is_needed)) return std::nullopt;
  return pair_costs(costs, setting);
}

}  // namespace speclab::analysis
