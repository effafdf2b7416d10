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

  double total_ns() const { return draft_ns + target_ns + overhead_ns; }
};

/// What rounds of one depth cost, over the context.
class RoundCurves {
 public:
  /// A round whose draft has `depth` levels and needs `rows` target rows. @throws ContractError if
  /// a kind was not measured
  RoundCurves(const CostSurface& costs, int depth, int rows);
  /// @throws ContractError as CostCurve::ns
  RoundTimes at(int context) const {
    return {.target_ns = target_.ns(context),
            .draft_ns = draft_ ? draft_->ns(context) : 0.0,
            .overhead_ns = overhead_.ns(context)};
  }

 private:
  CostCurve target_;
  CostCurve overhead_;
  std::optional<CostCurve> draft_;  ///< none at depth 0
};

/// The same by depth, each made when it is first asked for: for those who ask round by round.
class RoundCosts {
 public:
  explicit RoundCosts(const CostSurface& costs) : costs_(&costs) {}  ///< which must outlive it

  /// @param rows  of the target, always the same at that depth. @throws ContractError as
  /// RoundCurves
  RoundTimes at(int depth, int rows, int context) {
    const auto index = static_cast<std::size_t>(depth);
    if (index >= curves_.size() || !curves_[index]) add(depth, rows);
    return curves_[index]->at(context);
  }

 private:
  void add(int depth, int rows);

  const CostSurface* costs_;
  std::vector<std::optional<RoundCurves>> curves_;  ///< by depth
};

}  // namespace speclab::sim
