#pragma once
#include <memory>
#include <vector>

#include "sim/analytic/cost_surface.h"

namespace speclab::bench {

/// A target whose forward grows a little with rows and context, and a drafter at a twentieth of it;
/// without uncertainty.
inline std::shared_ptr<const sim::CostSurface> example_costs() {
  using enum sim::CostKind;
  const auto point = [](sim::CostKind kind, int rows, int context, double ns) {
    return sim::CostPoint{kind, rows, context, ns, ns, ns, 30};
  };
  return std::make_shared<sim::CostSurface>(std::vector<sim::CostPoint>{
      point(target, 1, 0, 1.0e7), point(target, 9, 0, 1.3e7), point(target, 1, 512, 1.1e7),
      point(target, 9, 512, 1.5e7), point(draft, 1, 0, 5e5), point(draft, 8, 0, 4e6),
      point(overhead, 1, 0, 2e5), point(overhead, 9, 0, 4e5)});
}

}  // namespace speclab::bench
