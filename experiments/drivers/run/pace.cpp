#include "experiments/drivers/run/pace.h"

#include "experiments/drivers/run/workbench.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

using ForwardCost = std::map<std::pair<int, int>, double>;  // by context and rows

ForwardCost forward_costs(const RunLog& log, const std::string& model) {
  ForwardCost costs;
  for (const CostEntry& entry : log.costs())
    if (entry.model == model && entry.kind == sim::CostKind::target) costs[{entry.context, entry.rows}] = entry.ns.value;
  return costs;
}

double cost_of(const PaceEntry& pace, int rows, const ForwardCost& costs) {
  const auto cost = costs.find({pace.context, rows});
  if (cost == costs.end()) throw DataError("the journal times a forward that its cost surface lacks; begin again in another folder");
  return cost->second;
}

}  // namespace

void PaceTaker::before(std::size_t row) {
  const Plan& plan = bench_.plan();
  const PlannedGeneration& next = plan.generations[row];
  const Cell& cell = plan.cells[next.cell];
  const auto same_block = [&](const PlannedGeneration& g) {
    return g.prompt == next.prompt && g.repetition == next.repetition && plan.cells[g.cell].model == cell.model && plan.cells[g.cell].temperature == cell.temperature;
  };
  if (last_ == nullptr || !same_block(*last_)) {
    auto found = forwards_.find(cell.model);
    if (found == forwards_.end()) found = forwards_.emplace(cell.model, ForwardCosts(bench_, cell.model)).first;
    const std::size_t which = turn_++ % found->second.num_contexts();
    bench_.log().add(PaceEntry{static_cast<std::int64_t>(row), cell.model, found->second.context(which), found->second.time_once(which)});
  }
  last_ = &next;
}

std::optional<double> pace_ratio(const RunLog& log, const std::string& model) {
  const ForwardCost costs = forward_costs(log, model);
  double now = 0, before = 0;
  for (const auto& [row, pace] : log.paces()) {
    if (pace.model != model) continue;
    for (const auto& [rows, ns] : pace.forwards) {
      now += ns;
      before += cost_of(pace, rows, costs);
    }
  }
  if (before == 0) return std::nullopt;
  return now / before;
}

}  // namespace speclab::experiments
