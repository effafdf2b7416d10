#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>

#include "sim/system/errors.h"

namespace speclab::sim {

struct Interval {
  double low = 0;
  double high = 0;
};

/// A number with its 95 % interval (missing where the data do not bear one) and the number of
/// independent units behind it.
struct Estimate {
  double value = 0;
  std::optional<Interval> interval{};
  std::size_t n = 0;

  /// The ends of the interval; the value where there is none.
  double low() const { return interval ? interval->low : value; }
  double high() const { return interval ? interval->high : value; }
};

/// The estimate in another unit. @param factor  > 0
inline Estimate scaled(Estimate estimate, double factor) {
  SPECLAB_EXPECT(factor > 0, "a unit that is not positive");
  estimate.value *= factor;
  if (estimate.interval)
    estimate.interval = Interval{estimate.interval->low * factor, estimate.interval->high * factor};
  return estimate;
}

/// The estimate with the part of its interval that the quantity can be in.
inline Estimate within(Estimate estimate, double low, double high) {
  if (estimate.interval)
    estimate.interval =
        Interval{std::max(low, estimate.interval->low), std::min(high, estimate.interval->high)};
  return estimate;
}

}  // namespace speclab::sim
