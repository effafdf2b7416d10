#pragma once
// Checks of arguments that many closed forms share. A message names the argument, its value and
// what is allowed.

#include <span>
#include <string_view>

namespace speclab::sim {

/// In [0, 1]. This and all below: @throws ContractError if the value is out of range or not a
/// number
void expect_probability(double value, std::string_view name);
void expect_probabilities(std::span<const double> values, std::string_view name);
/// Finite, >= 0.
void expect_not_negative(double value, std::string_view name);
/// Finite, > 0.
void expect_positive(double value, std::string_view name);
void expect_at_least(long long least, long long value, std::string_view name);
/// Not empty, each >= 0, sum 1 within 1e-9.
void expect_law(std::span<const double> law, std::string_view name);
/// Two laws over one vocabulary.
void expect_pair(std::span<const double> p, std::span<const double> q);
/// Each >= 0, sum at most 1 within 1e-9.
void expect_rank_acceptance(std::span<const double> rank_acceptance);

}  // namespace speclab::sim
