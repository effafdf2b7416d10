#include "experiments/drivers/compose/chain_costs.h"

#include <algorithm>

#include "experiments/drivers/predict/cost_input.h"

namespace speclab::experiments {

std::vector<Setting> chain_settings(const std::vector<analysis::CostRow>& costs,
                                    const SettingFilter& filter) {
  std::vector<Setting> settings;
  for (const analysis::CostRow& row : costs)
    if (row.kind == sim::CostKind::draft && row.setting.batch == 1 &&
        row.setting.generation.empty() && row.setting.tree == "chain" &&
        filter.keeps(row.setting) && std::ranges::find(settings, row.setting) == settings.end())
      settings.push_back(row.setting);
  return settings;
}

int longest_draft(const std::vector<analysis::CostRow>& costs, const Setting& setting) {
  std::int64_t drafted = 0, verified = 0;
  for (const analysis::CostRow& row : costs) {
    if (row.kind == sim::CostKind::draft && row.regime == setting.regime() &&
        row.setting == analysis::setting_of_costs(setting))
      drafted = std::max(drafted, row.rows);
    if (row.kind == sim::CostKind::target && row.setting == analysis::setting_of_forwards(setting))
      verified = std::max(verified, row.rows - 1);
  }
  return static_cast<int>(std::min<std::int64_t>({drafted, verified, kLongestLength}));
}

std::int64_t longest_context(const std::vector<analysis::CostRow>& costs) {
  std::int64_t longest = 0;
  for (const analysis::CostRow& row : costs)
    if (row.kind == sim::CostKind::target) longest = std::max(longest, row.context);
  return longest;
}

bool has_prefill(const std::vector<analysis::CostRow>& costs, const Setting& setting) {
  const Setting forwards = analysis::setting_of_forwards(setting);
  return std::ranges::any_of(costs, [&](const analysis::CostRow& row) {
    return row.kind == sim::CostKind::prefill && row.setting == forwards;
  });
}

}  // namespace speclab::experiments
