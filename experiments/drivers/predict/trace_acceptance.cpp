#include "experiments/drivers/predict/trace_acceptance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "sim/core/errors.h"
#include "sim/monte_carlo/acceptance_estimates.h"

namespace speclab::experiments {
namespace {

/// What the chains of a trace add up to, by prompt.
struct ChainCounts {
  std::vector<sim::AcceptanceCounts> clusters;
  std::int64_t chain_rounds = 0, tree_rounds = 0;  ///< that draft
};

ChainCounts count_chains(const std::vector<analysis::TracedGeneration>& generations) {
  ChainCounts counts;
  std::map<std::string, sim::AcceptanceCounts> by_cluster;
  for (const analysis::TracedGeneration& generation : generations)
    for (const analysis::Round& round : generation.rounds) {
      if (round.drafted == 0) continue;
      const bool is_chain = round.drafted == round.depth;
      ++(is_chain ? counts.chain_rounds : counts.tree_rounds);
      if (is_chain) by_cluster[generation.cluster].add(static_cast<int>(round.depth), static_cast<int>(round.accepted));
    }
  for (auto& [cluster, of_cluster] : by_cluster) counts.clusters.push_back(std::move(of_cluster));
  return counts;
}

/// What is pooled that a reader may want apart.
std::optional<std::string> pooling_note(const std::vector<analysis::TracedGeneration>& generations) {
  std::set<std::string> drafters, verifiers;
  std::set<double> temperatures;
  for (const analysis::TracedGeneration& generation : generations) {
    if (!generation.axes || generation.axes->is_plain()) continue;
    drafters.insert(generation.axes->drafter);
    verifiers.insert(generation.axes->verifier);
    temperatures.insert(generation.axes->temperature);
  }
  if (drafters.size() < 2 && verifiers.size() < 2 && temperatures.size() < 2) return std::nullopt;
  return fmt::format("the trace pools drafters {}, verifiers {} and temperatures {}; --drafter, --verifier and --temperature choose", fmt::join(drafters, ", "),
                     fmt::join(verifiers, ", "), fmt::join(temperatures, ", "));
}

/// By level, as far as the rounds can answer.
std::vector<double> supported_levels(const std::vector<sim::AcceptanceCounts>& clusters) {
  const auto longest = static_cast<std::size_t>(sim::longest_supported_length(clusters));
  sim::AcceptanceCounts all;
  for (const sim::AcceptanceCounts& cluster : clusters) all.add(cluster);
  std::vector<double> rates;
  for (std::size_t level = 0; level < longest; ++level) rates.push_back(all.accepted_at(level) / all.tested_at(level));
  return rates;
}

}  // namespace

AcceptanceInput trace_acceptance(const std::string& path, const analysis::TraceFilter& filter) {
  const std::vector<analysis::TracedGeneration> generations = analysis::read_trace(path, filter);
  const ChainCounts counts = count_chains(generations);
  if (counts.chain_rounds == 0)
    throw DataError(fmt::format("{}: no round that drafts a chain ({} draft trees); acceptance of a chain needs one", path, counts.tree_rounds));
  const sim::Estimate rate = sim::acceptance_rate_estimate(counts.clusters);
  AcceptanceInput input{.rate = {.value = rate.value, .interval = rate.interval},
                        .conditional_acceptance = supported_levels(counts.clusters),
                        .source = fmt::format("{}: {} rounds that draft, {} {}", path, counts.chain_rounds, counts.clusters.size(),
                                              generations[0].axes ? "prompts" : "generations")};
  if (counts.tree_rounds > 0) input.notes.push_back(fmt::format("{} rounds draft trees and are left out", counts.tree_rounds));
  if (const auto note = pooling_note(generations)) input.notes.push_back(*note);
  if (!generations[0].axes) input.notes.push_back("no rows.csv beside the trace: generations are taken as independent, where prompts would be");
  return input;
}

}  // namespace speclab::experiments
