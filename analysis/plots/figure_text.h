#pragma once
#include <string>
#include <vector>

#include "analysis/stats/groups.h"

namespace speclab::analysis {

/// "small_transformer" as a reader wants to see it: "small transformer".
std::string readable(std::string identifier);

/// A setting in at most `digits` significant digits, without trailing zeros or exponent.
std::string short_number(double value, int digits = 3);

/// What follows the name of a rule that changes the law: the least and the most total variation
/// shown.
std::string lossy_suffix(double least, double most);

/// The decimals that show `value` with `digits` significant digits.
int decimals_for(double value, int digits);

/// "7", "7 to 9".
std::string range_text(std::size_t low, std::size_t high);

/// "7 prompts a point, 5 generations each", or ranges over the groups.
std::string describe_sample(const std::vector<const Group*>& groups);

/// The sentence about error bars that every caption ends with.
std::string describe_intervals(const std::vector<const Group*>& groups);

}  // namespace speclab::analysis
