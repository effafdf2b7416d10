#include "sim/analytic/cost_surface.h"

#include <charconv>
#include <cmath>

#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

template <typename Number>
std::string to_text(Number value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

std::string describe(const CostPoint& point) {
  return std::string("cost point ") + to_string(point.kind) + ", rows " + to_text(point.rows) +
         ", context " + to_text(point.context);
}

using Curve = std::vector<std::pair<int, double>>;

Curve::const_iterator first_at_or_after(const Curve& curve, int x) {
  return std::lower_bound(curve.begin(), curve.end(), x,
                          [](const auto& point, int value) { return point.first < value; });
}

bool covers(const Curve& curve, int rows) {
  return curve.front().first <= rows && rows <= curve.back().first;
}

}  // namespace

const char* to_string(CostKind kind) {
  switch (kind) {
    case CostKind::target:
      return "target";
    case CostKind::draft:
      return "draft";
    case CostKind::overhead:
      return "overhead";
    case CostKind::prefill:
      return "prefill";
  }
  throw_contract_error("a CostKind", __FILE__, __LINE__, "not a CostKind");
}

CostSurface::CostSurface(std::vector<CostPoint> points) : points_(std::move(points)) {
  for (const CostPoint& point : points_) {
    const bool time_allowed =
        std::isfinite(point.ns) &&
        (point.ns > 0.0 || (point.ns == 0.0 && point.kind != CostKind::target));
    if (!time_allowed || point.rows < 1 || point.context < 0 || point.n < 1)
      throw DataError(describe(point) + ", ns " + to_text(point.ns) + ", n " + to_text(point.n) +
                      "; allowed: rows and n >= 1, context >= 0, ns finite and positive (0 for all "
                      "but target)");
    Curve& curve = curves_[static_cast<std::size_t>(point.kind)][point.context];
    const auto place = first_at_or_after(curve, point.rows);
    if (place != curve.end() && place->first == point.rows)
      throw DataError(describe(point) + " appears twice");
    curve.insert(place, {point.rows, point.ns});
  }
}

double CostSurface::plain_step_ns(int context) const {
  return t_target_ns(1, context) + overhead_ns(1, context);
}

double CostSurface::round_ns(int depth, int rows, int context) const {
  return t_draft_ns(depth, context) + t_target_ns(rows, context) + overhead_ns(rows, context);
}

CostCurve CostSurface::curve(CostKind kind, int rows) const {
  const auto& curves = curves_[static_cast<std::size_t>(kind)];
  SPECLAB_EXPECT(!curves.empty(),
                 std::string("the cost surface has no point of kind ") + to_string(kind));
  SPECLAB_EXPECT(rows >= 1, "rows = " + to_text(rows));
  const bool covered = std::any_of(curves.begin(), curves.end(),
                                   [&](const auto& item) { return covers(item.second, rows); });
  Curve along_context;
  for (const auto& [measured_context, curve_of_rows] : curves)
    if (!covered || covers(curve_of_rows, rows))
      along_context.emplace_back(measured_context, interpolated(curve_of_rows, rows));
  return CostCurve(std::string(to_string(kind)) + ", rows " + to_text(rows),
                   std::move(along_context));
}

std::optional<CostLine> CostCurve::line(int left, int right) const {
  if (points_.size() == 1) return CostLine{.left_ns = points_[0].second};
  const auto begin = first_at_or_after(points_, left);
  if (begin == points_.end() || std::next(begin) == points_.end()) return std::nullopt;
  const auto end = std::next(begin);
  if (begin->first != left || end->first != right) return std::nullopt;
  return CostLine{.left_ns = begin->second, .rise_ns = end->second - begin->second};
}

void CostCurve::refuse(int context) const {
  throw_contract_error("context >= 0", __FILE__, __LINE__,
                       description_ + ", context = " + to_text(context));
}

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
