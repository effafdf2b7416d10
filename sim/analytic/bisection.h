#pragma once
// The number at which a condition begins to hold.

namespace speclab::sim {

/// The smallest number of [low, high] that satisfies `holds`, to the last bit, where it fails below
/// a threshold and holds above it. `high` is taken to satisfy it.
template <typename Predicate>
double first_to_hold(double low, double high, Predicate holds) {
  if (holds(low)) return low;
  for (double middle = low + 0.5 * (high - low); middle > low && middle < high;
       middle = low + 0.5 * (high - low))
    (holds(middle) ? high : low) = middle;
  return high;
}

}  // namespace speclab::sim
