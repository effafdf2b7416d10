#include "experiments/drivers/measure/cost_samples.h"

#include <cmath>
#include <set>

#include "analysis/stats/intervals.h"

namespace speclab::experiments {
namespace {

using Passes = std::vector<analysis::PassTime>;

double mean_of(const Passes& passes) {
  double sum = 0;
  for (const auto& [pass, ns] : passes) sum += ns;
  return sum / static_cast<double>(passes.size());
}

/// @param passes  at least two
analysis::Estimate mean_over(const Passes& passes) {
  const double mean = mean_of(passes), n = static_cast<double>(passes.size());
  double squares = 0;
  for (const auto& [pass, ns] : passes) squares += (ns - mean) * (ns - mean);
  const double standard_error = squares == 0 ? 0 : std::sqrt(squares / (n - 1) / n) / mean;
  return {.value = mean,
          .interval = analysis::log_interval(mean, standard_error, n - 1),
          .n = passes.size()};
}

}  // namespace

void CostSamples::add(const CostEntry& point, int pass, double ns) {
  Point& at = points_[{point.setting, point.regime, point.kind, point.rows, point.context}];
  at.entry = point;
  at.passes[pass].push_back(ns);
}

std::vector<CostEntry> CostSamples::entries() const {
  std::vector<CostEntry> entries;
  for (const auto& [key, point] : points_) {
    CostEntry& entry = entries.emplace_back(point.entry);
    for (const auto& [pass, timings] : point.passes)
      entry.ns_of_pass.push_back({pass, analysis::median(timings).value});
    entry.ns = point.passes.size() > 1 ? mean_over(entry.ns_of_pass)
                                       : analysis::median(point.passes.begin()->second);
  }
  return entries;
}

std::vector<CostEntry> costs_without_pass(std::vector<CostEntry> costs, int pass) {
  for (CostEntry& cost : costs) {
    Passes others = cost.ns_of_pass;
    std::erase_if(others, [&](const auto& one) { return one.pass == pass; });
    if (!others.empty()) cost.ns.value = mean_of(others);
  }
  return costs;
}

std::vector<int> passes_of(const std::vector<CostEntry>& costs) {
  std::set<int> passes;
  for (const CostEntry& cost : costs)
    for (const auto& [pass, ns] : cost.ns_of_pass) passes.insert(pass);
  return {passes.begin(), passes.end()};
}

}  // namespace speclab::experiments
