#pragma once
// What a round of drafts costs on a device, from its passes and from times of its parts.

#include <string>
#include <vector>

#include "experiments/drivers/compose/device_rule.h"

namespace speclab::experiments {

/// Rounds of one sequence.
struct RoundOnDevice {
  std::string drafter;
  bool is_sampled = false;  ///< above temperature 0
  int drafts = 1;           ///< 1 to kMostRuleRows - 1
  int context = 0;
};

/// The five drafters whose rounds are predicted.
std::vector<std::string> drafters_on_device();

/// Microseconds of a round that drafts, all parts in turn.
/// @throws ConfigError on another drafter
double round_us(const DeviceRule& device, const sim::PassShape& target, const RoundOnDevice& round,
                Kernels kernels);

/// Microseconds of a round that drafts nothing.
double plain_round_us(const DeviceRule& device, const sim::PassShape& target, bool is_sampled,
                      int context, Kernels kernels);

}  // namespace speclab::experiments
