#include "analysis/stats/held_costs.h"

#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace speclab::analysis {

std::vector<sim::CostPoint> held_constant_outside(const std::vector<sim::CostPoint>& points) {
  constexpr int kFar = 1 << 20;
  std::map<std::pair<int, int>, sim::CostPoint> held;  // by context and rows
  for (const sim::CostPoint& point : points)
    held.insert_or_assign({point.context, point.rows}, point);
  std::set<int> contexts;
  for (const sim::CostPoint& point : points) contexts.insert(point.context);
  const auto copy = [&](sim::CostPoint point, int context, int rows) {
    point.context = context;
    point.rows = rows;
    held.try_emplace({context, rows}, point);
  };
  for (const int context : contexts) {
    const auto first = held.lower_bound({context, 0})->second;
    const auto last = std::prev(held.lower_bound({context + 1, 0}))->second;
    copy(first, context, 1);
    copy(last, context, kFar);
  }
  const auto inside = held;
  for (const auto& [place, point] : inside) {
    if (place.first == *contexts.begin()) copy(point, 0, point.rows);
    if (place.first == *contexts.rbegin()) copy(point, kFar, point.rows);
  }
  std::vector<sim::CostPoint> all;
  for (const auto& [place, point] : held) all.push_back(point);
  return all;
}

}  // namespace speclab::analysis
