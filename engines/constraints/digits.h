#pragma once
// Digit strings between two bounds, as expressions.

#include <optional>
#include <string>

#include "engines/constraints/expression.h"

namespace speclab::engines {

/// A bound on a number without its sign.
struct Magnitude {
  std::string whole = "0";  ///< without a zero at its beginning, but for "0"
  std::string fraction{};   ///< digits behind the point, without a zero at their end
  bool is_inclusive = true;
};

Expression any_digits();  ///< also none
/// A digit from `first` to `last`; no text if there is none.
Expression digit(char first, char last);

/// Whole numbers from `low` on, up to `high` if it is given, in decimal digits without a zero at
/// their beginning.
Expression wholes_between(const std::string& low, const std::optional<std::string>& high);

/// Decimal numbers from a bound on, up to another one if it is given: digits, and a point with
/// digits if there is a fraction.
Expression decimals_between(const Magnitude& low, const std::optional<Magnitude>& high);

/// Negative, 0 or positive, like a - b.
int compare(const Magnitude& a, const Magnitude& b);
/// The whole number behind, or before, a positive one.
std::string next_whole(std::string whole);
std::string previous_whole(std::string whole);

}  // namespace speclab::engines
