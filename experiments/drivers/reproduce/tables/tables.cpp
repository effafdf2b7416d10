#include "experiments/drivers/reproduce/tables/tables.h"

#include <algorithm>

namespace speclab::experiments {

analysis::Point vertex(double x, double y) {
  return {.x = x, .y = y, .mark = analysis::Mark::none};
}

analysis::Point paper_point(double x, double y) {
  return {.x = x, .y = y, .mark = analysis::Mark::hollow};
}

analysis::Series curve(std::string name, std::size_t colour, std::vector<analysis::Point> points) {
  std::ranges::stable_sort(points, {}, &analysis::Point::x);
  return {.name = std::move(name), .colour = colour, .points = std::move(points)};
}

analysis::Axis axis(std::string label, double low, double high) {
  return {.label = std::move(label), .range = analysis::Interval{low, high}};
}

std::vector<double> steps(double low, double high, int count) {
  std::vector<double> values;
  for (int i = 0; i <= count; ++i) values.push_back(low + (high - low) * i / count);
  return values;
}

}  // namespace speclab::experiments
