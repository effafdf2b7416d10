#include "tests/sim/monte_carlo/support/expected_counts.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "sim/statistics/distributions.h"

namespace speclab::testing {
namespace {

constexpr int kQuadraturePoints = 4000;

ExpectedCounts zeros(int levels) {
  return {std::vector<double>(static_cast<std::size_t>(levels)),
          std::vector<double>(static_cast<std::size_t>(levels))};
}

void add(ExpectedCounts& sum, const ExpectedCounts& other, double weight) {
  for (std::size_t level = 0; level < sum.tested.size(); ++level) {
    sum.tested[level] += weight * other.tested[level];
    sum.accepted[level] += weight * other.accepted[level];
  }
}

}  // namespace

double ExpectedCounts::acceptance_rate() const {
  return std::accumulate(accepted.begin(), accepted.end(), 0.0) /
         std::accumulate(tested.begin(), tested.end(), 0.0);
}

double ExpectedCounts::conditional_acceptance(std::size_t level) const {
  return accepted[level] / tested[level];
}

double ExpectedCounts::survival(std::size_t level) const {
  double product = 1.0;
  for (std::size_t i = 0; i <= level; ++i) product *= conditional_acceptance(i);
  return product;
}

double ExpectedCounts::tokens_per_round() const {
  double sum = 1.0;
  for (std::size_t level = 0; level < tested.size(); ++level) sum += survival(level);
  return sum;
}

ExpectedCounts expected_counts(const sim::TwoStateAcceptance& places, int speculation_length,
                               int new_tokens) {
  const double move[2][2] = {{1 - places.easy_to_hard, places.easy_to_hard},
                             {places.hard_to_easy, 1 - places.hard_to_easy}};
  std::vector<std::array<ExpectedCounts, 2>> by_left(
      static_cast<std::size_t>(new_tokens) + 1,
      {zeros(speculation_length), zeros(speculation_length)});
  for (int left = 1; left <= new_tokens; ++left)
    for (std::size_t first = 0; first < 2; ++first) {
      ExpectedCounts& counts = by_left[static_cast<std::size_t>(left)][first];
      std::array<double, 2> reach{
          first == 0 ? 1.0 : 0.0,
          first == 1 ? 1.0 : 0.0};  // all before was accepted, and the place has that state
      for (int level = 0; level <= speculation_length; ++level) {
        const auto rest = static_cast<std::size_t>(std::max(0, left - level - 1));
        std::array<double, 2> next{};
        for (std::size_t state = 0; state < 2; ++state) {
          const double rate = level < speculation_length
                                  ? places.acceptance_rate[state]
                                  : 0.0;  // the bonus token's place is not tested
          if (level < speculation_length) {
            counts.tested[static_cast<std::size_t>(level)] += reach[state];
            counts.accepted[static_cast<std::size_t>(level)] += reach[state] * rate;
          }
          for (std::size_t to = 0; to < 2; ++to) {
            add(counts, by_left[rest][to], reach[state] * (1 - rate) * move[state][to]);
            next[to] += reach[state] * rate * move[state][to];
          }
        }
        reach = next;
      }
    }
  ExpectedCounts total = zeros(speculation_length);
  for (std::size_t state = 0; state < 2; ++state)
    add(total, by_left.back()[state], state == 0 ? places.easy_share() : 1 - places.easy_share());
  return total;
}

ExpectedCounts expected_counts(double acceptance_rate, int speculation_length, int new_tokens) {
  return expected_counts({.acceptance_rate = {acceptance_rate, acceptance_rate},
                          .easy_to_hard = 0.5,
                          .hard_to_easy = 0.5},
                         speculation_length, new_tokens);
}

ExpectedCounts expected_counts(std::span<const double> conditional_acceptance) {
  ExpectedCounts counts;
  double reached = 1.0;
  for (const double acceptance : conditional_acceptance) {
    counts.tested.push_back(reached);
    counts.accepted.push_back(reached *= acceptance);
  }
  return counts;
}

ExpectedCounts expected_beta_counts(double a, double b, int speculation_length, int new_tokens) {
  ExpectedCounts mean = zeros(speculation_length);
  for (int i = 0; i < kQuadraturePoints; ++i)
    add(mean,
        expected_counts(sim::beta_quantile((i + 0.5) / kQuadraturePoints, a, b), speculation_length,
                        new_tokens),
        1.0 / kQuadraturePoints);
  return mean;
}

}  // namespace speclab::testing
