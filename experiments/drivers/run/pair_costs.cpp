#include "experiments/drivers/run/pair_costs.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

sim::CostPoint to_point(const CostEntry& entry) {
  const double ns = entry.ns.value;
  return {.kind = entry.kind, .rows = entry.rows, .context = entry.context, .ns = ns, .ns_low = entry.ns.interval ? entry.ns.interval->low : ns,
          .ns_high = entry.ns.interval ? entry.ns.interval->high : ns, .n = static_cast<int>(entry.ns.n)};
}

/// The points of one kind, continued as constants to 1 and kFar rows, and to contexts 0 and kFar.
std::vector<sim::CostPoint> held_constant_outside(const std::vector<sim::CostPoint>& points) {
  constexpr int kFar = 1 << 20;
  std::map<std::pair<int, int>, sim::CostPoint> held;  // by context and rows
  for (const sim::CostPoint& point : points) held.insert_or_assign({point.context, point.rows}, point);
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

}  // namespace

Regime regime_of(double temperature) { return temperature == 0 ? Regime::greedy : Regime::sampled; }

PairCosts pair_costs(const std::vector<CostEntry>& costs, const std::string& model, const Drafting& drafting, Regime regime) {
  std::vector<sim::CostPoint> points, drafts, overheads, drafter_prefills;
  for (const CostEntry& entry : costs) {
    if (entry.model != model) continue;
    if (!entry.regime) points.push_back(to_point(entry));
    if (entry.regime != regime || entry.drafter != (drafting.is_plain() ? "" : drafting.drafter) || entry.tree != drafting.tree || entry.verifier != drafting.verifier) continue;
    auto& kind = entry.kind == sim::CostKind::draft ? drafts : entry.kind == sim::CostKind::overhead ? overheads : drafter_prefills;
    kind.push_back(to_point(entry));
  }
  if (points.empty() || overheads.empty()) throw DataError("the journal holds no costs of " + model + " with " + drafting.drafter + "; begin again in another folder");
  for (const auto* kind : {&drafts, &overheads})
    if (!kind->empty()) std::ranges::copy(held_constant_outside(*kind), std::back_inserter(points));
  if (!drafter_prefills.empty()) drafter_prefills = held_constant_outside(drafter_prefills);
  std::erase_if(drafter_prefills, [](const sim::CostPoint& point) { return point.context != 0; });
  return {std::make_shared<sim::CostSurface>(std::move(points)), sim::CostSurface(std::move(drafter_prefills))};
}

}  // namespace speclab::experiments
