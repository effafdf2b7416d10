#pragma once
// The cost surface of every target and of every pair of target and drafter.

#include <cstddef>
#include <memory>
#include <vector>

#include "experiments/drivers/journal/run_entries.h"

namespace speclab::experiments {

class Workbench;

/// All points that the plan needs, passed over costs.repetitions times, in a random order each
/// time. Forwards of the target are timed bare; prefill, drafting and overhead inside generations
/// whose lengths go round. Other work may be done between the steps.
class CostMeasurement {
 public:
  explicit CostMeasurement(Workbench& bench);
  ~CostMeasurement();
  std::size_t num_steps() const;
  /// Does the steps before `step` that were not done; each advances the progress by 1.
  void advance_to(std::size_t step);
  /// What was timed so far.
  std::vector<CostEntry> entries() const;

 private:
  class Tasks;
  Workbench& bench_;
  std::unique_ptr<Tasks> tasks_;
  std::vector<std::size_t> order_;  ///< of the present pass
  std::size_t step_ = 0;
};

/// Measures all points and adds them to the log; nothing if it has them.
void measure_costs(Workbench& bench);

/// Decodes the pilots that the log lacks and measures the costs meanwhile, spread over all of that
/// time: a machine that is fast in one minute and slow in the next is met in both.
void measure_costs_beside_pilots(Workbench& bench);

}  // namespace speclab::experiments
