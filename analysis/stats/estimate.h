#pragma once
#include <cstddef>
#include <optional>

namespace speclab::analysis {

struct Interval {
  double low = 0;
  double high = 0;
};

/// A number with its 95 % interval (missing where the data do not bear one) and the number of independent units behind it.
struct Estimate {
  double value = 0;
  std::optional<Interval> interval;
  std::size_t n = 0;
};

}  // namespace speclab::analysis
