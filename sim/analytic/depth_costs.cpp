#include "sim/analytic/depth_costs.h"

#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "sim/system/errors.h"

namespace speclab::sim {

DepthCosts::DepthCosts(const CostSurface& costs, std::span<const int> rows_of_depth) {
  for (const int rows : rows_of_depth) {
    const int depth = static_cast<int>(curves_.size());
    std::optional<CostCurve> draft;
    if (depth > 0) draft = costs.curve(CostKind::draft, depth);
    curves_.push_back({std::move(draft), costs.curve(CostKind::target, rows),
                       costs.curve(CostKind::overhead, rows)});
  }
  std::set<int> contexts{-1, std::numeric_limits<int>::max()};
  for (const CostPoint& point : costs.points()) contexts.insert(point.context);
  for (auto right = std::next(contexts.begin()); right != contexts.end(); ++right)
    add_stretch(*std::prev(right), *right);
}

void DepthCosts::Lines::add(const CostLine& line) {
  left_ns.push_back(line.left_ns);
  rise_ns.push_back(line.rise_ns);
}

void DepthCosts::add_stretch(int left, int right) {
  Stretch stretch{.left = left, .right = right};
  for (const Curves& curves : curves_) {
    const auto draft = curves.draft ? curves.draft->line(left, right) : CostLine{};
    const auto target = curves.target.line(left, right),
               overhead = curves.overhead.line(left, right);
    if (!draft || !target || !overhead) return;
    stretch.draft.add(*draft);
    stretch.target.add(*target);
    stretch.overhead.add(*overhead);
  }
  stretches_.push_back(std::move(stretch));
}

void DepthCosts::at(int context, std::span<double> total_ns) const {
  SPECLAB_EXPECT(total_ns.size() == curves_.size(), "an entry for every depth is needed");
  for (const Stretch& stretch : stretches_) {
    if (context <= stretch.left || context > stretch.right) continue;
    const double share =
        static_cast<double>(context - stretch.left) / (stretch.right - stretch.left);
#pragma GCC ivdep
    for (std::size_t depth = 0; depth < total_ns.size(); ++depth)
      total_ns[depth] = stretch.draft.at(depth, share) + stretch.target.at(depth, share) +
                        stretch.overhead.at(depth, share);
    return;
  }
  for (std::size_t depth = 0; depth < total_ns.size(); ++depth)
    total_ns[depth] = curves_[depth].ns(context);
}

}  // namespace speclab::sim
