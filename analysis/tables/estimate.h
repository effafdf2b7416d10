#pragma once
#include "sim/statistics/estimate.h"

namespace speclab::analysis {

using sim::Estimate;
using sim::Interval;
using sim::scaled;
using sim::within;

}  // namespace speclab::analysis
