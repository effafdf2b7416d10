#pragma once
#include "experiments/drivers/papers/comparison.h"
#include "sim/analytic/batch.h"

namespace speclab::experiments {

/// An 8B-class target and a 1.2B-class draft on one H200, as in the worked examples, with the cache
/// that grows with the text.
sim::BatchSetting example_machine(int batch, int context);

/// The batch at which chains and token trees stop paying at acceptance rate 0.8, and siblings of
/// them at 0.16: on the example machine and for named models on named devices. Results of ours,
/// with no number of a paper beside them; of what pays at every batch the speed-up at the largest
/// tried.
void add_crossovers(Reproduction& result);

}  // namespace speclab::experiments
