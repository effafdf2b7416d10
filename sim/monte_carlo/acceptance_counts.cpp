#include "sim/monte_carlo/acceptance_counts.h"

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>
#include <string>

#include "sim/statistics/distributions.h"
#include "sim/statistics/jackknife.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr double kLeastOutcomes = 5.0;
constexpr std::size_t kLeastPrompts = 6;

std::size_t levels_with_data(const AcceptanceCounts& total, std::size_t prompts) {
  std::size_t level = 0;
  while (std::min(total.accepted_at(level), total.tested_at(level) - total.accepted_at(level)) >=
         kLeastOutcomes)
    ++level;
  return std::min(level, prompts / 3);
}

/// Differences of the conditional acceptances of later levels from that of the first.
std::vector<double> contrasts(const AcceptanceCounts& counts, std::size_t levels) {
  std::vector<double> differences;
  const double first = counts.accepted_at(0) / counts.tested_at(0);
  for (std::size_t level = 1; level < levels; ++level)
    differences.push_back(counts.accepted_at(level) / counts.tested_at(level) - first);
  return differences;
}

}  // namespace

void AcceptanceCounts::add(int depth, int accepted) {
  SPECLAB_EXPECT(
      accepted >= 0 && accepted <= depth && depth <= 4095,
      "a round of depth " + std::to_string(depth) + " accepted " + std::to_string(accepted));
  const auto tested = static_cast<std::size_t>(std::min(depth, accepted + 1));
  if (tested_.size() < tested) {
    tested_.resize(tested);
    accepted_.resize(tested);
  }
  for (std::size_t level = 0; level < tested; ++level) tested_[level] += 1.0;
  for (std::size_t level = 0; level < static_cast<std::size_t>(accepted); ++level)
    accepted_[level] += 1.0;
}

void AcceptanceCounts::add(const AcceptanceCounts& other) {
  tested_.resize(std::max(tested_.size(), other.tested_.size()));
  accepted_.resize(tested_.size());
  for (std::size_t level = 0; level < other.tested_.size(); ++level) {
    tested_[level] += other.tested_[level];
    accepted_[level] += other.accepted_[level];
  }
}

void AcceptanceCounts::remove(const AcceptanceCounts& other) {
  for (std::size_t level = 0; level < other.tested_.size(); ++level) {
    SPECLAB_EXPECT(
        tested_at(level) >= other.tested_[level] && accepted_at(level) >= other.accepted_[level],
        "more is removed than was added");
    tested_[level] -= other.tested_[level];
    accepted_[level] -= other.accepted_[level];
  }
}

double AcceptanceCounts::tested() const {
  return std::accumulate(tested_.begin(), tested_.end(), 0.0);
}

double AcceptanceCounts::accepted() const {
  return std::accumulate(accepted_.begin(), accepted_.end(), 0.0);
}

ConstantAcceptanceTest test_constant_acceptance(ClusterCounts clusters) {
  AcceptanceCounts total;
  for (const AcceptanceCounts& cluster : clusters) total.add(cluster);
  ConstantAcceptanceTest test{.levels = levels_with_data(total, clusters.size()),
                              .prompts = clusters.size()};
  if (test.levels < 2 || test.prompts < kLeastPrompts)
    throw DataError("a test of constant acceptance has " + std::to_string(test.levels) +
                    " levels with data and " + std::to_string(test.prompts) +
                    " prompts; it needs 2 levels and 6 prompts");
  const std::vector<double> observed = contrasts(total, test.levels);
  std::vector<std::vector<double>> without;
  for (const AcceptanceCounts& cluster : clusters) {
    AcceptanceCounts rest = total;
    rest.remove(cluster);
    if (!(rest.tested_at(test.levels - 1) > 0.0))
      throw DataError("a test of constant acceptance: only one prompt reached level " +
                      std::to_string(test.levels));
    without.push_back(contrasts(rest, test.levels));
  }
  const auto size = static_cast<Eigen::Index>(observed.size());
  std::vector<double> covariance = jackknife_covariance(without);
  const Eigen::Map<const Eigen::VectorXd> difference(observed.data(), size);
  const Eigen::Map<const Eigen::MatrixXd> matrix(covariance.data(), size, size);
  const double q = static_cast<double>(size), n = static_cast<double>(test.prompts);
  test.statistic = difference.dot(matrix.ldlt().solve(difference)) * (n - q) / (q * (n - 1.0));
  if (!(test.statistic >= 0.0))
    throw DataError(
        "a test of constant acceptance: prompts do not differ, so that their spread says nothing");
  test.p_value = f_tail(test.statistic, q, n - q);
  return test;
}

}  // namespace speclab::sim
