#pragma once
#include <cstdint>
#include <string>

#include "analysis/tables/axes.h"
#include "analysis/tables/estimate.h"
#include "analysis/tables/schema.h"

namespace speclab::analysis {

/// A policy of a drafter and temperature: what it loses against others.
struct RegretRow {
  Setting axes;  ///< of the policies that are compared; `policy` is that of the row
  std::int64_t n_prompts = 0;
  double ns_per_token = 0;
  std::string best_static, longest_static;
  double clairvoyant_ns_per_token = 0;
  Estimate to_static, to_clairvoyant, measured_to_static;
};

/// regret.csv
const Schema<RegretRow>& regrets_table();

}  // namespace speclab::analysis
