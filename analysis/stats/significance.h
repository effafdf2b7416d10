#pragma once
// Tests of one difference and of a family of them.

#include <span>
#include <vector>

namespace speclab::analysis {

/// Chance of `successes` or more in `trials` tosses of a fair coin: the one-sided sign test.
///
/// @param successes  in [0, trials]
/// @param trials     in [0, 10000]
/// @throws ContractError if an argument is out of range
/// @source Dixon and Mood 1946, The statistical sign test
double sign_test_p(int successes, int trials);

/// The least successes whose sign_test_p is at most `level`; trials + 1 where none is.
int significant_successes(int trials, double level);

/// p-values adjusted for a family: rejecting what is at most alpha errs with a chance of at most
/// alpha in the whole family, whatever the tests have to do with each other.
///
/// @param p_values  each in [0, 1]
/// @return in the order given, each in [0, 1]
/// @throws ContractError if one is not in [0, 1]
/// @source Holm 1979, A simple sequentially rejective multiple test procedure
std::vector<double> holm_adjusted(std::span<const double> p_values);

}  // namespace speclab::analysis
