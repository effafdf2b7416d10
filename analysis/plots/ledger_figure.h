#pragma once
#include "analysis/plots/figures.h"
#include "analysis/stats/ledger.h"

namespace speclab::analysis {

/// From the predicted to the measured walltime of a group, a bar a cause. @param name  of the
/// group's line
Figure ledger_figure(const Group& group, const Ledger& ledger, const std::string& name);

}  // namespace speclab::analysis
