#pragma once
#include <vector>

#include "analysis/tables/estimate.h"

namespace speclab::analysis {

/// Median with the exact interval of order statistics, which assumes independence and nothing else:
/// at least 95 % coverage, from 6 values on. @throws ContractError if there is no value
/// @source David and Nagaraja 2003, Order Statistics, section 7.1
Estimate median(std::vector<double> values);

}  // namespace speclab::analysis
