#pragma once
// Rows of what the device can do at best: the denominators of every share that is published.

#include "experiments/bench/gpu/measuring.h"

namespace speclab::engines::cuda {

/// Bytes of memory that are read once.
Measured read_bandwidth(Bench& bench);
/// From the host's launch of a small graph until the host sees what its last kernel wrote. A device
/// that answers ends this within a second.
void measure_launch_and_poll(Bench& bench);
void measure_ceilings(Bench& bench);

}  // namespace speclab::engines::cuda
