#pragma once
#include <vector>

#include "analysis/stats/group_summary.h"

namespace speclab::analysis {

/// All generations of the same axes, and what they say.
struct Group {
  Setting axes;
  std::string category;  ///< `all` if pooled over categories
  Generations generations;
  GroupSummary summary;
};

/// Groups in the order in which rows.csv first names them.
std::vector<Group> pooled_groups(const Run& run, const Baseline& baseline, Bootstrap& bootstrap);
std::vector<Group> groups_by_category(const Run& run, const Baseline& baseline,
                                      Bootstrap& bootstrap);

}  // namespace speclab::analysis
