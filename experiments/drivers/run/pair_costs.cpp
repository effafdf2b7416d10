#include "experiments/drivers/run/pair_costs.h"

#include <algorithm>

#include "experiments/drivers/run/held_costs.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

sim::CostPoint to_point(const CostEntry& entry) {
  const double ns = entry.ns.value;
  return {.kind = entry.kind, .rows = entry.rows, .context = entry.context, .ns = ns, .ns_low = entry.ns.interval ? entry.ns.interval->low : ns,
          .ns_high = entry.ns.interval ? entry.ns.interval->high : ns, .n = static_cast<int>(entry.ns.n)};
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
