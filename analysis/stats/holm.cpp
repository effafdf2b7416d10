#include "analysis/stats/holm.h"

#include <algorithm>
#include <numeric>

#include "sim/system/errors.h"

namespace speclab::analysis {

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  for (const double p : p_values)
    SPECLAB_EXPECT(p >= 0.0 && p <= 1.0, "a p-value is not in [0, 1]");
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0.0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    largest = std::max(largest, static_cast<double>(order.size() - rank) * p_values[order[rank]]);
    adjusted[order[rank]] = std::min(1.0, largest);
  }
  return adjusted;
}

}  // namespace speclab::analysis
