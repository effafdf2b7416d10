#include "analysis/stats/count_law.h"

#include <algorithm>

#include "sim/system/errors.h"

namespace speclab::analysis {

void CountLaw::add(std::span<const double> law) {
  SPECLAB_EXPECT(!law.empty(), "a count has a law");
  std::vector<double> longer(law_.size() + law.size() - 1, 0.0);
  for (std::size_t i = 0; i < law_.size(); ++i)
    for (std::size_t j = 0; j < law.size(); ++j) longer[i + j] += law_[i] * law[j];
  while (longer.size() > 1 && longer.back() == 0.0) longer.pop_back();
  law_ = std::move(longer);
}

double CountLaw::mean() const {
  double mean = 0.0;
  for (std::size_t i = 0; i < law_.size(); ++i) mean += static_cast<double>(i) * law_[i];
  return mean;
}

double CountLaw::two_sided_p(std::int64_t count) const {
  double below = 0.0, above = 0.0;
  for (std::size_t i = 0; i < law_.size(); ++i) {
    if (static_cast<std::int64_t>(i) <= count) below += law_[i];
    if (static_cast<std::int64_t>(i) >= count) above += law_[i];
  }
  return std::min(1.0, 2.0 * std::min(below, above));
}

Interval CountLaw::central_range(double share) const {
  const double tail = 0.5 * (1.0 - share);
  std::size_t low = 0, high = law_.size() - 1;
  for (double below = law_[low]; low < high && below <= tail; below += law_[low]) ++low;
  for (double above = law_[high]; high > low && above <= tail; above += law_[high]) --high;
  return {static_cast<double>(low), static_cast<double>(high)};
}

}  // namespace speclab::analysis
