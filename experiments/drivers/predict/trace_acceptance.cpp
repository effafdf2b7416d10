#include "experiments/drivers/predict/trace_acceptance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

constexpr std::uint64_t kSeed = 1;  ///< of the bootstrap, so that equal traces give equal intervals

/// What the rounds of a trace add up to.
class TraceCounts {
 public:
  explicit TraceCounts(const std::vector<analysis::TracedGeneration>& generations) {
    for (const analysis::TracedGeneration& generation : generations)
      for (const analysis::Round& round : generation.rounds) add(generation, round);
  }

  analysis::ClusterTotals totals() const {
    analysis::ClusterTotals totals;
    for (const auto& [cluster, counts] : by_cluster_) totals.add(counts.first, counts.second);
    return totals;
  }

  /// Up to the last position that a round reached.
  std::vector<double> conditional_acceptance() const {
    std::vector<double> rates;
    for (std::size_t i = 0; i < reached_.size() && reached_[i] > 0; ++i) rates.push_back(accepted_[i] / reached_[i]);
    return rates;
  }

  std::int64_t chain_rounds() const { return chain_rounds_; }
  std::int64_t tree_rounds() const { return tree_rounds_; }
  std::size_t clusters() const { return by_cluster_.size(); }

 private:
  void add(const analysis::TracedGeneration& generation, const analysis::Round& round) {
    if (round.drafted == 0) return;
    if (round.drafted != round.depth) {
      ++tree_rounds_;
      return;
    }
    ++chain_rounds_;
    auto& [accepted, tested] = by_cluster_[generation.cluster];
    accepted += static_cast<double>(round.accepted);
    tested += static_cast<double>(round.tested);
    const auto length = static_cast<std::size_t>(round.drafted), stood = static_cast<std::size_t>(round.accepted);
    reached_.resize(std::max(reached_.size(), length));
    accepted_.resize(reached_.size());
    for (std::size_t i = 0; i < std::min(length, stood + 1); ++i) ++reached_[i];
    for (std::size_t i = 0; i < stood; ++i) ++accepted_[i];
  }

  std::map<std::string, std::pair<double, double>> by_cluster_;  ///< accepted and tested
  std::vector<double> reached_, accepted_;                       ///< by position
  std::int64_t chain_rounds_ = 0, tree_rounds_ = 0;
};

/// What is pooled that a reader may want apart.
std::optional<std::string> pooling_note(const std::vector<analysis::TracedGeneration>& generations) {
  std::set<std::string> drafters;
  std::set<double> temperatures;
  for (const analysis::TracedGeneration& generation : generations) {
    if (!generation.axes) continue;
    drafters.insert(generation.axes->drafter);
    temperatures.insert(generation.axes->temperature);
  }
  if (drafters.size() < 2 && temperatures.size() < 2) return std::nullopt;
  return fmt::format("the trace pools drafters {} and temperatures {}; --drafter and --temperature choose", fmt::join(drafters, ", "), fmt::join(temperatures, ", "));
}

}  // namespace

IntervalValue clustered_rate(const analysis::ClusterTotals& totals) {
  if (!(std::reduce(totals.numerator.begin(), totals.numerator.end()) > 0)) return {};
  analysis::Bootstrap bootstrap(kSeed);
  const analysis::Estimate estimate = within(bootstrap.ratio(totals), 0.0, 1.0);
  return {.value = estimate.value, .interval = estimate.interval};
}

AcceptanceInput trace_acceptance(const std::string& path, const analysis::TraceFilter& filter) {
  const std::vector<analysis::TracedGeneration> generations = analysis::read_trace(path, filter);
  const TraceCounts counts(generations);
  if (counts.chain_rounds() == 0)
    throw DataError(fmt::format("{}: no round that drafts a chain ({} draft trees); acceptance of a chain needs one", path, counts.tree_rounds()));
  AcceptanceInput input{.rate = clustered_rate(counts.totals()), .conditional_acceptance = counts.conditional_acceptance(),
                        .source = fmt::format("{}: {} rounds that draft, {} {}", path, counts.chain_rounds(), counts.clusters(), generations[0].axes ? "prompts" : "generations")};
  if (counts.tree_rounds() > 0) input.notes.push_back(fmt::format("{} rounds draft trees and are left out", counts.tree_rounds()));
  if (const auto note = pooling_note(generations)) input.notes.push_back(*note);
  if (!generations[0].axes) input.notes.push_back("no rows.csv beside the trace: generations are taken as independent, where prompts would be");
  return input;
}

}  // namespace speclab::experiments
