#include "experiments/drivers/run/pace.h"

#include <algorithm>
#include <tuple>

#include "experiments/drivers/run/workbench.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

struct Timings {
  double sum_ns = 0;
  int count = 0;

  double mean_ns() const { return sum_ns / count; }
};

using Place = std::tuple<std::string, int, int>;  // model, context, rows

std::map<Place, Timings> timings_by_place(const RunLog& log) {
  std::map<Place, Timings> timings;
  for (const auto& [row, pace] : log.paces())
    for (const auto& [rows, ns] : pace.forwards) {
      Timings& at = timings[{pace.model, pace.context, rows}];
      at.sum_ns += ns;
      ++at.count;
    }
  return timings;
}

bool is_forward(const CostEntry& entry) { return entry.kind == sim::CostKind::target; }

/// Replaces the costs of forwards. @return by model how many times longer the forwards of most rows take now
std::map<std::string, double> replace_forwards(const std::map<Place, Timings>& timings, std::vector<CostEntry>& costs) {
  std::map<std::string, std::pair<int, std::pair<double, double>>> most;  // rows, totals now and before
  std::size_t replaced = 0;
  for (CostEntry& entry : costs) {
    const auto found = is_forward(entry) ? timings.find({entry.model, entry.context, entry.rows}) : timings.end();
    if (found == timings.end()) continue;
    ++replaced;
    auto& [rows, totals] = most[entry.model];
    if (entry.rows > rows) totals = {0, 0};
    if (entry.rows >= rows) totals = {totals.first + found->second.mean_ns(), totals.second + entry.ns.value};
    rows = std::max(rows, entry.rows);
    entry.ns.value = found->second.mean_ns();
  }
  if (replaced != timings.size()) throw DataError("the journal times a forward that its cost surface lacks; begin again in another folder");
  std::map<std::string, double> ratios;
  for (const auto& [model, last] : most) ratios[model] = last.second.first / last.second.second;
  return ratios;
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

std::vector<CostEntry> paced_costs(const RunLog& log) {
  if (log.paces().empty()) return {};
  std::vector<CostEntry> costs = log.costs();
  const std::map<std::string, double> ratios = replace_forwards(timings_by_place(log), costs);
  for (CostEntry& entry : costs)
    if (const auto ratio = ratios.find(entry.model); entry.kind == sim::CostKind::prefill && entry.drafter.empty() && ratio != ratios.end())
      entry.ns.value *= ratio->second;
  return costs;
}

}  // namespace speclab::experiments
