#pragma once
// The order in which the emulated device runs what stands in a stream.

#include <span>

#include "cuda_runtime_api.h"

namespace speclab::cuda_emulation {

/// One after the other, each whole.
void run_in_turn(std::span<const Work> works);

/// Runs each piece of work as late as the device may. A kernel that starts before the one in front
/// has ended runs up to its wait while that one has not begun: some of its blocks do, the others
/// begin after. Its wait ends when the kernel in front is complete, whatever stands before that
/// one. A kernel whose blocks all end without a wait is complete at once, so that the next one
/// overtakes those before it. Every kernel lets the next one start at its first instruction.
/// An early read finds what was there before: NaN where nothing was written yet.
void run_adversarially(std::span<const Work> works);

/// While it lives, streams and graphs run in the adversarial order, when the host waits for them.
/// A graph that starts behind such a wait finds NaN in all device memory that the host has never
/// written: kernels alone fill it, so none may read there what the graph before has left.
class AdversarialOrder {
 public:
  AdversarialOrder();
  ~AdversarialOrder();
  AdversarialOrder(const AdversarialOrder&) = delete;
  AdversarialOrder& operator=(const AdversarialOrder&) = delete;
};

}  // namespace speclab::cuda_emulation
