#pragma once
// What rounds cost on a machine: measured points and the lines between them.

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace speclab::sim {

/// What was timed. `rows` counts, in this order: rows of the target's forward; levels drafted; rows
/// of the target's forward of the round whose remaining time it is (processors, acceptance, commit,
/// host); prompt tokens.
enum class CostKind { target, draft, overhead, prefill };

/// One measured point. The interval is the 95 % interval of the mean.
struct CostPoint {
  CostKind kind = CostKind::target;
  int rows = 1;     ///< >= 1
  int context = 0;  ///< tokens in the cache before it, >= 0
  double ns = 0.0;
  double ns_low = 0.0;
  double ns_high = 0.0;
  int n = 1;  ///< timings behind the point, >= 1
};

const char* to_string(CostKind kind);

/// The value at x of the lines between points (x, value >= 0), x ascending, at least one: the
/// segment around x, or the nearest one continued. More work never costs less, whatever the noise
/// of two neighbours says: beyond the last point a falling segment stays at that point's value.
/// Before the first point a segment falls to no less than half of that point's value.
inline double interpolated(const std::vector<std::pair<int, double>>& points, int x) {
  if (points.size() == 1) return points.front().second;
  auto right = std::next(points.begin());
  while (right->first < x && std::next(right) != points.end()) ++right;
  const auto left = std::prev(right);
  const double fraction = static_cast<double>(x - left->first) / (right->first - left->first);
  const double value = left->second + fraction * (right->second - left->second);
  if (fraction > 1.0) return std::max(value, right->second);
  if (fraction < 0.0) return std::max(value, 0.5 * left->second);
  return value;
}

/// A stretch of a curve.
struct CostLine {
  double left_ns = 0.0;
  double rise_ns = 0.0;  ///< up to the right end
};

/// What one kind of work with a number of rows costs, over the context.
class CostCurve {
 public:
  /// @param description  of the kind and the rows, for messages. @param points  (context, ns),
  /// contexts ascending, ns >= 0, at least one
  CostCurve(std::string description, std::vector<std::pair<int, double>> points)
      : description_(std::move(description)), points_(std::move(points)) {}
  /// @param context  >= 0. @throws ContractError if it is negative
  double ns(int context) const {
    if (context < 0) refuse(context);
    return interpolated(points_, context);
  }
  /// The line between two contexts; none where the curve is not one line whose ends they are. A
  /// single point is a line between any two.
  std::optional<CostLine> line(int left, int right) const;

 private:
  [[noreturn]] void refuse(int context) const;

  std::string description_;
  std::vector<std::pair<int, double>> points_;
};

/// Piecewise linear in rows and, over the contexts at which that many rows were measured, in
/// context. Beyond the measured range the nearest segment is continued as `interpolated` says; a
/// single point is a constant.
class CostSurface {
 public:
  /// @throws DataError if a point is out of range or appears twice
  explicit CostSurface(std::vector<CostPoint> points);

  /// One forward of the target with `rows` rows. All of these: @throws ContractError if nothing of
  /// the kind was measured
  double t_target_ns(int rows, int context) const { return at(CostKind::target, rows, context); }
  /// Drafting `length` levels; 0 for length 0.
  double t_draft_ns(int length, int context) const {
    return length == 0 ? 0.0 : at(CostKind::draft, length, context);
  }
  /// The rest of a round with `rows` target rows.
  double overhead_ns(int rows, int context) const { return at(CostKind::overhead, rows, context); }
  double prefill_ns(int prompt_tokens) const { return at(CostKind::prefill, prompt_tokens, 0); }

  double plain_step_ns(int context) const;
  /// A whole round whose draft has `depth` levels and needs `rows` target rows.
  double round_ns(int depth, int rows, int context) const;
  /// The curve that all of the above are read from. @param rows  >= 1. @throws ContractError if
  /// nothing of the kind was measured
  CostCurve curve(CostKind kind, int rows) const;
  const std::vector<CostPoint>& points() const { return points_; }

 private:
  using Curve = std::vector<std::pair<int, double>>;  ///< (rows, ns), rows ascending

  double at(CostKind kind, int rows, int context) const { return curve(kind, rows).ns(context); }

  std::vector<CostPoint> points_;
  std::array<std::map<int, Curve>, 4> curves_;  ///< by kind, then context
};

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
