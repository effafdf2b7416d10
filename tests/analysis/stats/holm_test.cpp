#include "analysis/stats/significance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/rng_stream.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// The procedure as Holm tells it: from the smallest p-value on, reject while p <= alpha /
/// (hypotheses left).
std::vector<bool> rejected_step_by_step(const std::vector<double>& p_values, double alpha) {
  std::vector<bool> rejected(p_values.size(), false);
  for (std::size_t left = p_values.size(); left > 0; --left) {
    std::size_t smallest = p_values.size();
    for (std::size_t i = 0; i < p_values.size(); ++i)
      if (!rejected[i] && (smallest == p_values.size() || p_values[i] < p_values[smallest]))
        smallest = i;
    if (p_values[smallest] * static_cast<double>(left) > alpha) break;
    rejected[smallest] = true;
  }
  return rejected;
}

TEST(HolmAdjusted, RejectsWhatTheProcedureRejects) {
  const RngStream stream(1);
  for (std::uint32_t trial = 0; trial < 500; ++trial) {
    std::vector<double> p_values;
    for (std::uint32_t i = 0; i < 1 + trial % 12; ++i)
      p_values.push_back(std::pow(stream.uniform({trial, i, Purpose::weights, 0}), 4));
    const std::vector<double> adjusted = holm_adjusted(p_values);
    for (const double alpha : {0.001, 0.01, 0.05, 0.5}) {
      const std::vector<bool> rejected = rejected_step_by_step(p_values, alpha);
      for (std::size_t i = 0; i < p_values.size(); ++i)
        EXPECT_EQ(adjusted[i] <= alpha, rejected[i]) << trial << " " << i << " " << alpha;
    }
  }
}

TEST(HolmAdjusted, LeavesOneAloneAndNoneEmpty) {
  EXPECT_EQ(holm_adjusted(std::vector{0.03}), std::vector{0.03});
  EXPECT_TRUE(holm_adjusted({}).empty());
}

TEST(HolmAdjusted, RefusesWhatIsNoChance) {
  EXPECT_THROW(holm_adjusted(std::vector{0.5, 1.5}), ContractError);
  EXPECT_THROW(holm_adjusted(std::vector{std::numeric_limits<double>::quiet_NaN()}), ContractError);
}

}  // namespace
}  // namespace speclab::analysis
