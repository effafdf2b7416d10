#include "analysis/stats/group_ratio.h"

#include <map>
#include <string>
#include <utility>

namespace speclab::analysis {
namespace {

ClusterTotals totals_by_prompt(const Generations& generations, const Quantity& numerator,
                               const Quantity& denominator) {
  std::map<std::string, std::pair<double, double>> sums;
  for (const auto* g : generations) {
    sums[g->prompt_id].first += numerator(*g);
    sums[g->prompt_id].second += denominator(*g);
  }
  ClusterTotals totals;
  for (const auto& [prompt, sum] : sums) totals.add(sum.first, sum.second);
  return totals;
}

}  // namespace

double sum_over(const Generations& generations, const Quantity& quantity) {
  double sum = 0;
  for (const auto* g : generations) sum += quantity(*g);
  return sum;
}

std::optional<Estimate> ratio_over(const Generations& generations, const Quantity& numerator,
                                   const Quantity& denominator, Bootstrap& bootstrap) {
  if (sum_over(generations, denominator) <= 0) return std::nullopt;
  const ClusterTotals totals = totals_by_prompt(generations, numerator, denominator);
  if (sum_over(generations, numerator) <= 0)
    return Estimate{.value = 0, .interval = std::nullopt, .n = totals.numerator.size()};
  return bootstrap.ratio(totals);
}

}  // namespace speclab::analysis
