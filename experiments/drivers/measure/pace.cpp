#include "experiments/drivers/measure/pace.h"

#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/measure/workbench.h"

namespace speclab::experiments {
void PaceTaker::before(std::size_t row) {
  const Plan& plan = bench_.plan();
  if (plan.config.has_device_rounds()) return;
  const PlannedGeneration& next = plan.generations[row];
  const Cell& cell = plan.cells[next.cell];
  if (last_ == nullptr || !plan.are_compared(*last_, next)) {
    auto found = forwards_.find(cell.setting.model);
    if (found == forwards_.end())
      found = forwards_.emplace(cell.setting.model, ForwardCosts(bench_, cell.setting.model)).first;
    const std::size_t which = turn_++ % found->second.num_contexts();
    bench_.log().add(PaceEntry{static_cast<std::int64_t>(row), cell.setting.model,
                               found->second.context(which), found->second.time_once(which)});
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
