#pragma once
// The costs of chains in a table of costs: which settings it has, how long their drafts and
// contexts were.

#include <cstdint>
#include <vector>

#include "analysis/tables/costs.h"
#include "sim/core/setting.h"

namespace speclab::experiments {

/// Settings of single sequences that draft chains, in the order of the table.
std::vector<Setting> chain_settings(const std::vector<analysis::CostRow>& costs,
                                    const SettingFilter& filter);

/// The longest draft whose cost was measured in the setting's regime, and which a measured forward
/// verifies; 0 if there is none.
int longest_draft(const std::vector<analysis::CostRow>& costs, const Setting& setting);

/// The longest context of a timed forward, in tokens; 0 if none was timed.
std::int64_t longest_context(const std::vector<analysis::CostRow>& costs);

/// Whether the time of the target's reading of a prompt is known.
bool has_prefill(const std::vector<analysis::CostRow>& costs, const Setting& setting);

}  // namespace speclab::experiments
