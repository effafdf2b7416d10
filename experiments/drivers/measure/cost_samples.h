#pragma once
// Timings of a cost surface, by point and by pass over all points.

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "experiments/drivers/journal/run_entries.h"

namespace speclab::experiments {

class CostSamples {
 public:
  /// @param pass  in which it was timed
  void add(const CostEntry& point, int pass, double ns);

  /// A point costs the mean over passes of the median in a pass: a machine that is now fast and now
  /// slow is met as often as it is so, as in the walltimes that costs predict; of a point with
  /// several timings a pass those that something else fell into do not count. The interval is
  /// Student's t over passes, on the scale of logarithms; of points that one pass met the median
  /// with its own interval.
  std::vector<CostEntry> entries() const;

 private:
  using Key = std::tuple<Setting, std::optional<Regime>, sim::CostKind, std::int64_t,
                         std::int64_t>;  // as in CostEntry
  struct Point {
    CostEntry entry;
    std::map<int, std::vector<double>> passes;
  };
  std::map<Key, Point> points_;
};

/// The same costs, had one pass not been. A point that no other pass met stays.
std::vector<CostEntry> costs_without_pass(std::vector<CostEntry> costs, int pass);

/// The passes that any point was timed in, ascending; none where the log was written before passes
/// were noted.
std::vector<int> passes_of(const std::vector<CostEntry>& costs);

}  // namespace speclab::experiments
