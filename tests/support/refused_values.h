#pragma once
// Values that no argument of the kind may have, and the check that a function refuses each.

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <vector>

#include "sim/system/errors.h"

namespace speclab::testing {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline const std::vector<double> kNoProbability{-0.1, 1.2, kNan, kInfinity, -kInfinity};
inline const std::vector<double> kNegative{-1e-9, -2.0, kNan, kInfinity};  ///< or not finite
inline const std::vector<double> kNotPositive{0.0, -1.0, kNan, kInfinity};
inline const std::vector<std::vector<double>> kNoLaw{
    {}, {0.5, 0.4}, {1.5, -0.5}, {kNan, 1.0}, {0.5, 0.5 + 1e-8}};  ///< of two tokens, and none
inline const std::vector<std::vector<double>> kNoRankAcceptance{{0.6, 0.5}, {-0.1}, {kNan}};

/// Calls f with each value; each must throw a ContractError.
template <typename Function, typename Values>
void expect_refused(Function f, const Values& values) {
  std::size_t i = 0;
  for (const auto& value : values)
    EXPECT_THROW(f(value), ContractError)
        << "value " << i++ << ": " << ::testing::PrintToString(value);
}
template <typename Function, typename Value>
void expect_refused(Function f, std::initializer_list<Value> values) {
  expect_refused(f, std::vector<Value>(values));
}

/// Calls f(p, q) with every pair that is none: of each kind of broken law on either side, and of
/// two sizes.
template <typename Function>
void expect_pairs_refused(Function f) {
  const std::vector<double> law{0.5, 0.5};
  expect_refused([&](const auto& broken) { f(broken, law); }, kNoLaw);
  expect_refused([&](const auto& broken) { f(law, broken); }, kNoLaw);
  EXPECT_THROW(f(law, std::vector<double>{0.2, 0.3, 0.5}), ContractError);
}

}  // namespace speclab::testing
