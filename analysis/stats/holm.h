#pragma once
#include <span>
#include <vector>

namespace speclab::analysis {

/// p-values adjusted for a family: rejecting what is at most alpha errs with a chance of at most
/// alpha in the whole family, whatever the tests have to do with each other.
///
/// @param p_values  each in [0, 1]
/// @return in the order given, each in [0, 1]
/// @throws ContractError if one is not in [0, 1]
/// @source Holm 1979, A simple sequentially rejective multiple test procedure
std::vector<double> holm_adjusted(std::span<const double> p_values);

}  // namespace speclab::analysis
