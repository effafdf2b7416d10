#include "experiments/drivers/compose/device_rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "analysis/tables/device_predictions.h"
#include "sim/system/data_folder.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// Microseconds of a layer that two changes of the kernels should save: attention that masks and
/// stores no rows that are not there, and sums of squares that are loaded before the product's
/// loop. Both are derived from the code and from results/reference/gpu_h200, not measured.
constexpr double kCheaperAttention = 1.3, kEarlierSums = 0.8;

struct NamedRate {
  const char* name;
  double read_gb_per_s;
};
/// Read bandwidths: the rows of ceilings.csv of gpu_h200 and of gpu_bench.csv of gpu_engine_h100.
constexpr std::array kRates{NamedRate{"h200", 4545.21}, NamedRate{"h100", 3099.6}};

/// Measured apart from passes. Ends: embedding and head alone beyond the head's bytes, the mean
/// over the four shapes of kernels.csv of gpu_h200. Join: a layer of SmolLM2-135M with one row at a
/// context of 406 (costs.csv of gpu_walltime_vs_temperature_h200) beside the same at 512.
sim::PassRule measured_apart(double read_gb_per_s) {
  return {.read_gb_per_s = read_gb_per_s, .ends_us = 8.9, .join_us = 2.1};
}

const NamedRate& rate_of(const std::string& device) {
  const auto* const rate = std::ranges::find(kRates, device, &NamedRate::name);
  if (rate == kRates.end())
    throw ConfigError(fmt::format("--device {}: no such device; allowed: {}", escaped(device, 60),
                                  fmt::join(rule_devices(), ", ")));
  return *rate;
}

}  // namespace

std::string_view to_string(Kernels kernels) {
  return kernels == Kernels::measured ? "measured" : "planned";
}

Kernels kernels_of(const std::string& text) {
  for (const Kernels kernels : {Kernels::measured, Kernels::planned})
    if (text == to_string(kernels)) return kernels;
  throw ConfigError(fmt::format("--kernels {}: allowed: measured, planned", escaped(text, 60)));
}

std::vector<std::string> rule_devices() {
  std::vector<std::string> names;
  for (const NamedRate& rate : kRates) names.emplace_back(rate.name);
  return names;
}

KeptPasses kept_passes() {
  const std::string path = data_folder() + "/results/reference/gpu_h200/passes.csv";
  std::map<std::string, std::vector<sim::TimedPass>> by_shape;
  for (const analysis::TimedPassRow& row : analysis::read_timed_passes(path))
    if (row.rows <= sim::kMostRuleRows)
      by_shape[row.shape].push_back(
          {.shape = sim::pass_shape(row.shape),
           .load = {.rows = static_cast<int>(row.rows), .context = static_cast<int>(row.context)},
           .us = 1e3 * row.ms});
  KeptPasses kept;
  for (auto& [shape, passes] : by_shape) {
    kept.shapes.push_back(shape);
    kept.groups.push_back(std::move(passes));
  }
  return kept;
}

std::vector<sim::LeftOutPass> KeptPasses::left_out() const {
  return sim::left_out_passes(measured_apart(kRates.front().read_gb_per_s), groups);
}

DeviceRule device_rule(const std::string& device) {
  const NamedRate& rate = rate_of(device);
  const KeptPasses kept = kept_passes();
  std::vector<sim::TimedPass> all;
  for (const auto& group : kept.groups) all.insert(all.end(), group.begin(), group.end());
  const sim::PassRule apart = measured_apart(kRates.front().read_gb_per_s);
  DeviceRule result{.device = device,
                    .rule = sim::fitted_pass_rule(apart, all),
                    .errors = sim::largest_errors(kept.left_out())};
  result.rule.read_gb_per_s = rate.read_gb_per_s;
  return result;
}

double DeviceRule::pass_us(const sim::PassShape& shape, const sim::PassLoad& load,
                           Kernels kernels) const {
  const double saved =
      kernels == Kernels::planned ? (kCheaperAttention + kEarlierSums) * shape.sizes.layers : 0.0;
  return rule.pass_us(shape, load) - saved;
}

}  // namespace speclab::experiments
