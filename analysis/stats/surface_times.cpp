#include "analysis/stats/surface_times.h"

#include <algorithm>

namespace speclab::analysis {
namespace {

std::string verifier_of(const std::vector<CostRow>& costs, const Setting& axes) {
  if (axes.verifier != "replay") return axes.verifier;
  const auto found = std::ranges::find_if(costs, [&](const CostRow& row) {
    return row.setting.model == axes.model && row.setting.drafter == axes.drafter &&
           row.setting.tree == axes.tree;
  });
  return found == costs.end() ? axes.verifier : found->setting.verifier;
}

}  // namespace

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
  if (g.axes.is_plain())
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
    return row.kind == sim::CostKind::overhead && row.setting.model == key.model &&
           row.setting.drafter == key.drafter && row.regime == setting.regime();
  };
  if (std::ranges::none_of(costs, is_needed)) return std::nullopt;
  return pair_costs(costs, setting);
}

}  // namespace speclab::analysis
