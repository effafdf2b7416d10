#pragma once
// Names under which papers and servers report a round, and what each counts.

#include <span>
#include <string>
#include <vector>

#include "sim/analytic/metrics.h"

namespace speclab::experiments {

/// A reported number.
struct MetricName {
  const char* name;  ///< "vllm.mean_acceptance_length"
  sim::RoundQuantity quantity;
  const char* definition;
  const char* source;
};

std::span<const MetricName> metric_names();

/// @throws AmbiguousError for a name that several systems count differently, listing what it may
/// mean; ConfigError for an unknown one
const MetricName& metric_name(const std::string& name);

/// One number, converted into every other that follows from it.
struct ConvertedMetric {
  const MetricName* name = nullptr;
  double value = 0.0;
  bool assumes_independence = false;  ///< of acceptances; else the conversion is exact
};

/// @param settings  NAME=VALUE: one metric, and speculation_length=N for chains or drafted_nodes=N
/// for trees, whose rates per tested
///                  draft do not follow
/// @throws AmbiguousError as metric_name, or where nothing says how many tokens a round drafts;
/// ConfigError for anything else
std::vector<ConvertedMetric> convert_metrics(const std::vector<std::string>& settings);

}  // namespace speclab::experiments
