#include "sim/monte_carlo/acceptance_estimates.h"

#include <functional>
#include <map>
#include <string>

#include "sim/statistics/jackknife.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr double kLeastTested = 30.0;

using Statistic = std::function<double(const AcceptanceCounts&)>;

AcceptanceCounts total_of(ClusterCounts clusters) {
  AcceptanceCounts total;
  for (const AcceptanceCounts& cluster : clusters) total.add(cluster);
  if (!(total.tested() > 0.0))
    throw DataError("no draft was tested in any of " + std::to_string(clusters.size()) +
                    " prompts; acceptance needs one");
  return total;
}

/// @param needed  of all clusters, and without any one of them, for an interval: else there is none
Estimate estimate_of(ClusterCounts clusters, const Statistic& statistic,
                     const std::function<bool(const AcceptanceCounts&)>& needed, Scale scale) {
  AcceptanceCounts counts = total_of(clusters);
  const double value = statistic(counts);
  std::vector<double> without;
  for (const AcceptanceCounts& cluster : clusters) {
    counts.remove(cluster);
    if (!needed(counts)) return {.value = value, .interval = std::nullopt, .n = clusters.size()};
    without.push_back(statistic(counts));
    counts.add(cluster);
  }
  return jackknife_estimate(value, without, scale);
}

double conditional(const AcceptanceCounts& counts, std::size_t level) {
  return counts.accepted_at(level) / counts.tested_at(level);
}

double survival(const AcceptanceCounts& counts, std::size_t level) {
  double product = 1.0;
  for (std::size_t i = 0; i <= level; ++i) product *= conditional(counts, i);
  return product;
}

/// Mean survival over the leading levels: accepted / drafted, if all were drafted. A level behind
/// one at which nothing was accepted has survival 0.
double mean_survival(const AcceptanceCounts& counts, std::size_t levels) {
  double sum = 0.0, product = 1.0;
  for (std::size_t i = 0; i < levels && product > 0.0; ++i)
    sum += product *= conditional(counts, i);
  return sum / static_cast<double>(levels);
}

bool is_supported(ClusterCounts clusters, const AcceptanceCounts& total, std::size_t level) {
  int prompts = 0;
  for (const AcceptanceCounts& cluster : clusters)
    prompts += cluster.tested_at(level) > 0.0 ? 1 : 0;
  return prompts >= 2 && total.tested_at(level) >= kLeastTested;
}

}  // namespace

std::vector<AcceptanceCounts> counts_by_prompt(std::span<const LoggedGeneration> log) {
  if (log.empty()) throw DataError("the trace is empty; estimates need at least one generation");
  std::map<std::string, std::size_t> index;
  std::vector<AcceptanceCounts> counts;
  for (const LoggedGeneration& generation : log) {
    const auto [found, is_new] = index.try_emplace(generation.prompt, counts.size());
    if (is_new) counts.emplace_back();
    for (const RoundRecord& round : generation.rounds) {
      if (round.drafted != round.depth)
        throw DataError("trace of prompt \"" + escaped(generation.prompt) + "\", round " +
                        std::to_string(round.round) + ": not a chain");
      counts[found->second].add(round.depth, round.accepted);
    }
  }
  return counts;
}

Estimate acceptance_rate_estimate(ClusterCounts clusters) {
  const auto rate = [](const AcceptanceCounts& counts) {
    return counts.accepted() / counts.tested();
  };
  return estimate_of(
      clusters, rate, [](const AcceptanceCounts& counts) { return counts.tested() > 0.0; },
      Scale::logit);
}

std::vector<DepthAcceptance> acceptance_by_depth(ClusterCounts clusters) {
  const AcceptanceCounts total = total_of(clusters);
  std::vector<DepthAcceptance> levels;
  for (std::size_t i = 0; total.accepted_at(i) > 0.0; ++i) {
    const auto tested = [i](const AcceptanceCounts& counts) { return counts.tested_at(i) > 0.0; };
    const auto conditional_here = [i](const AcceptanceCounts& counts) {
      return conditional(counts, i);
    };
    const auto survival_here = [i](const AcceptanceCounts& counts) { return survival(counts, i); };
    levels.push_back(
        {.depth = static_cast<int>(i) + 1,
         .conditional_acceptance = estimate_of(clusters, conditional_here, tested, Scale::logit),
         .survival = estimate_of(clusters, survival_here, tested, Scale::logit),
         .tested = total.tested_at(i)});
  }
  return levels;
}

int longest_supported_length(ClusterCounts clusters) {
  const AcceptanceCounts total = total_of(clusters);
  int length = 0;
  while (is_supported(clusters, total, static_cast<std::size_t>(length))) ++length;
  return length;
}

std::optional<Estimate> tokens_per_round_estimate(ClusterCounts clusters, int speculation_length) {
  SPECLAB_EXPECT(speculation_length >= 0,
                 "speculation_length = " + std::to_string(speculation_length) + "; allowed: >= 0");
  if (speculation_length > longest_supported_length(clusters)) return std::nullopt;
  if (speculation_length == 0)
    return Estimate{.value = 1.0, .interval = Interval{1.0, 1.0}, .n = clusters.size()};
  const auto levels = static_cast<std::size_t>(speculation_length);
  const auto fraction = [levels](const AcceptanceCounts& counts) {
    return mean_survival(counts, levels);
  };
  const auto needed = [levels](const AcceptanceCounts& counts) {
    return counts.tested_at(levels - 1) > 0.0;
  };
  Estimate estimate = estimate_of(clusters, fraction, needed, Scale::logit);
  const auto tokens = [&](double mean) { return 1.0 + speculation_length * mean; };
  estimate.value = tokens(estimate.value);
  if (estimate.interval)
    estimate.interval = Interval{tokens(estimate.interval->low), tokens(estimate.interval->high)};
  return estimate;
}

}  // namespace speclab::sim
