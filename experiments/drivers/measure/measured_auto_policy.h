#pragma once
#include <functional>

#include "engines/interface/engines.h"
#include "experiments/drivers/program/progress.h"
#include "sim/core/speculation_length_policy.h"

namespace speclab::experiments {

/// One generation that `auto` is to steer; all of it outlives the call only.
struct AutoPolicyRequest {
  engines::Engines& engines;
  engines::LoadedModel& target;  ///< lent: the same when the call returns or throws
  const engines::DecoderOptions& decoder;
  const std::vector<Token>& prompt_ids;  ///< at least one
};

struct AutoPolicyCallbacks {
  Progress& progress;
  std::function<void()> check_interruption = [] {};  ///< throws to stop between measurements
};

/// The policy `auto` for one generation, where no experiment has measured anything before: its cost
/// surface is measured here, in seconds, at the contexts of this generation, and its belief about
/// acceptance is the default one. What was measured is noted on `progress`. A drafter that never
/// drafts needs no costs: its policy asks for nothing.
/// @throws ConfigError if the model's context leaves no room to measure in, and what the engines
/// throw
std::unique_ptr<SpeculationLengthPolicy> measured_auto_policy(const AutoPolicyRequest& request,
                                                              const AutoPolicyCallbacks& callbacks);

}  // namespace speclab::experiments
