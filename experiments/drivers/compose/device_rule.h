#pragma once
// The rule of passes for a device, fitted to the passes that were timed, and savings that planned
// kernels should bring.

#include <string>
#include <string_view>
#include <vector>

#include "sim/analytic/pass_rule.h"

namespace speclab::experiments {

/// Kernels that were timed on the H200, or those with cheaper attention, sums and rounds.
enum class Kernels { measured, planned };
std::string_view to_string(Kernels kernels);
/// @throws ConfigError unless the text names one
Kernels kernels_of(const std::string& text);

struct DeviceRule {
  std::string device;
  sim::PassRule rule;
  sim::PassErrors errors;  ///< at shapes that the rule was not fitted to

  /// Of a pass, in microseconds.
  double pass_us(const sim::PassShape& shape, const sim::PassLoad& load, Kernels kernels) const;
};

/// The rule of "h200" or "h100". Passes were timed on an H200 alone: an H100 gets its own read
/// bandwidth, and the H200's latencies.
/// @throws ConfigError on an unknown device, DataError about the table of passes
DeviceRule device_rule(const std::string& device);
std::vector<std::string> rule_devices();

/// The passes that the rule is fitted to.
struct KeptPasses {
  std::vector<std::string> shapes;                  ///< a name for each group
  std::vector<std::vector<sim::TimedPass>> groups;  ///< passes of a shape

  std::vector<sim::LeftOutPass> left_out() const;
};

/// @throws DataError naming the file
KeptPasses kept_passes();

}  // namespace speclab::experiments
