#pragma once
#include <optional>

#include "experiments/drivers/toml/config_tree.h"

namespace speclab::experiments {

/// The list that a table { from, to, steps } or { from, to, by } stands for, each value at the
/// table's place. Both ends are in it with `steps`; with `by` the last value is the greatest not
/// above `to`. Values are rounded to twelve digits, so that 0.1 three times is 0.3; they are
/// integers where from, to and by are.
/// Nothing where the table has neither form of kRangeForms, or too many values.
std::optional<ConfigNode> expanded_range(const ConfigNode& table, std::size_t most_values);

/// For messages.
inline constexpr const char* kRangeForms =
    "{ from = A, to = B, steps = N } with A < B and N >= 2, or { from = A, to = B, by = STEP } "
    "with STEP > 0";

}  // namespace speclab::experiments
