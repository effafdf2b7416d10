#pragma once
// The cost surface of every target and of every pair of target and drafter.

namespace speclab::experiments {

class Workbench;

/// Measures all points that the plan needs, interleaved in random order, and adds them to the log; nothing if it has them.
/// Forwards of the target are timed bare; prefill, drafting and overhead inside generations whose lengths go round.
void measure_costs(Workbench& bench);

}  // namespace speclab::experiments
