#include "sim/analytic/round_costs.h"

#include <string>

#include "sim/core/errors.h"

namespace speclab::sim {

RoundTimes RoundCosts::at(int depth, int rows, int context) {
  SPECLAB_EXPECT(depth >= 0, "depth = " + std::to_string(depth));
  const auto index = static_cast<std::size_t>(depth);
  if (index >= curves_.size()) curves_.resize(index + 1);
  if (!curves_[index]) {
    curves_[index] = Curves{costs_->curve(CostKind::target, rows), costs_->curve(CostKind::overhead, rows), std::nullopt};
    if (depth > 0) curves_[index]->draft = costs_->curve(CostKind::draft, depth);
  }
  const Curves& curves = *curves_[index];
  return {.target_ns = curves.target.ns(context), .draft_ns = curves.draft ? curves.draft->ns(context) : 0.0, .overhead_ns = curves.overhead.ns(context)};
}

}  // namespace speclab::sim
