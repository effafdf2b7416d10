#pragma once
// Rules that several configs share.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "experiments/drivers/toml/config_reader.h"
#include "sim/system/errors.h"

namespace speclab::experiments {

/// For messages: what is_name accepts.
inline constexpr const char* kNameRule =
    "1 to 200 letters, digits, _, - and ., not beginning with .";

/// Fit for a folder, a column of a CSV file and a key of a manifest.
bool is_name(const std::string& text);

/// Makes the ConfigError that `check` throws a finding about an element.
template <typename Check>
void check_element(const ConfigReader& reader, const char* key, std::size_t index,
                   const Check& check) {
  try {
    check();
  } catch (const ConfigError& error) {
    reader.add(key, index, error.what());
  }
}

}  // namespace speclab::experiments
