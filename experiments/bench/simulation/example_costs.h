#pragma once
#include <memory>

#include "sim/analytic/cost_surface.h"

namespace speclab::bench {

/// A target whose forward grows a little with rows and context, and a drafter at a twentieth of it;
/// without uncertainty.
std::shared_ptr<const sim::CostSurface> example_costs();

}  // namespace speclab::bench
