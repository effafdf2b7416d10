#pragma once

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

}  // namespace speclab::analysis
