#pragma once
#include <vector>

#include "sim/analytic/cost_surface.h"

namespace speclab::analysis {

/// The points of one kind, continued as constants to 1 and very many rows, and to contexts 0 and
/// very long ones: a line through noise could turn negative there.
std::vector<sim::CostPoint> held_constant_outside(const std::vector<sim::CostPoint>& points);

}  // namespace speclab::analysis
