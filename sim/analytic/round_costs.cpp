#include "sim/analytic/round_costs.h"

#include <string>

#include "sim/system/errors.h"

namespace speclab::sim {

RoundCurves::RoundCurves(const CostSurface& costs, int depth, int rows)
    : target_(costs.curve(CostKind::target, rows)),
      overhead_(costs.curve(CostKind::overhead, rows)) {
  SPECLAB_EXPECT(depth >= 0, "depth = " + std::to_string(depth));
  if (depth > 0) draft_ = costs.curve(CostKind::draft, depth);
}

void RoundCosts::add(int depth, int rows) {
  SPECLAB_EXPECT(depth >= 0, "depth = " + std::to_string(depth));
  const auto index = static_cast<std::size_t>(depth);
  if (index >= curves_.size()) curves_.resize(index + 1);
  curves_[index].emplace(*costs_, depth, rows);
}

}  // namespace speclab::sim
