#pragma once
// Random arguments for tests of properties: every case has its own stream, so that a failure names
// what reproduces it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "sim/core/rng_stream.h"

namespace speclab::testing {

/// Draws of one case.
class RandomValues {
 public:
  RandomValues(std::uint64_t seed, std::uint32_t number) : stream_(seed), case_(number) {}

  double uniform(double low = 0.0, double high = 1.0) {
    return low + (high - low) * stream_.uniform({case_, 0, Purpose::order, draw_++});
  }
  /// low ... high, both included.
  int integer(int low, int high) {
    return std::min(high, low + static_cast<int>(uniform() * (high - low + 1)));
  }
  /// A law over `size` tokens, from flat to sharp; every fourth has tokens of no mass.
  std::vector<double> law(int size) {
    const double sharpness = uniform(0.2, 6.0);
    const bool has_gaps = integer(0, 3) == 0;
    std::vector<double> values(static_cast<std::size_t>(size));
    for (double& value : values)
      value = has_gaps && integer(0, 2) == 0 ? 0.0 : std::pow(uniform(), sharpness);
    values[static_cast<std::size_t>(integer(0, size - 1))] += 0.01;  // so that not all are 0
    return scaled(std::move(values), 1.0);
  }
  /// Acceptances of child ranks: sum at most 1.
  std::vector<double> ranks(int size) { return scaled(law(size), uniform()); }
  std::vector<double> falling_ranks(int size) {
    std::vector<double> values = ranks(size);
    std::ranges::sort(values, std::ranges::greater{});
    return values;
  }

 private:
  static std::vector<double> scaled(std::vector<double> values, double total) {
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    for (double& value : values) value *= total / sum;
    return values;
  }

  RngStream stream_;
  std::uint32_t case_;
  std::uint32_t draw_ = 0;
};

inline constexpr int kRandomCases = 300;

/// Calls check(values) for that many cases.
template <typename Check>
void for_random_values(Check check, int cases = kRandomCases) {
  constexpr std::uint64_t kSeed = 20230519;
  for (int i = 0; i < cases; ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    RandomValues values(kSeed, static_cast<std::uint32_t>(i));
    check(values);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace speclab::testing
