#pragma once
#include <optional>
#include <vector>

#include "sim/analytic/cost_surface.h"

namespace speclab::sim {

/// Nanoseconds of a round, by what they are spent on.
struct RoundTimes {
  double target_ns = 0.0;
  double draft_ns = 0.0;
  double overhead_ns = 0.0;

  double total_ns() const { return target_ns + draft_ns + overhead_ns; }
};

/// What the cost surface says of rounds, by depth, with the curves over the context kept: for those who ask round by round.
class RoundCosts {
 public:
  explicit RoundCosts(const CostSurface& costs) : costs_(&costs) {}  ///< which must outlive it

  /// A round whose draft has `depth` levels and needs `rows` target rows, always the same at that depth.
  /// @throws ContractError as CostSurface
  RoundTimes at(int depth, int rows, int context);

 private:
  struct Curves {
    CostCurve target;
    CostCurve overhead;
    std::optional<CostCurve> draft;  ///< none at depth 0
  };

  const CostSurface* costs_;
  std::vector<std::optional<Curves>> curves_;  ///< by depth
};

}  // namespace speclab::sim
