#pragma once
#include "experiments/drivers/toml/config_reader.h"

namespace speclab::experiments {

/// The list that a table { from, to, steps } or { from, to, by } stands for, each value at the
/// table's place. Both ends are in it with `steps`; with `by` the last value is the greatest not
/// above `to`. Values are rounded to twelve digits, so that 0.1 three times is 0.3; they are
/// integers where from, to and by are.
/// @param reader  refuses what is wrong with it, by `key`; the list is then empty
ConfigNode expanded_range(const ConfigNode& table, const ConfigReader& reader, const char* key,
                          std::size_t most_values);

}  // namespace speclab::experiments
